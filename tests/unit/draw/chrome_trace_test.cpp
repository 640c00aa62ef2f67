#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "dovetail/draw.hpp"
#include "support/sample_plan.hpp"

namespace dovetail::draw {
namespace {

using nlohmann::json;
using testing::random_plan;
using testing::small_plan;
using testing::small_plan_with_lost;

std::vector<json> events_of(const json& trace, const std::string& phase) {
  std::vector<json> found;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == phase) found.push_back(event);
  }
  return found;
}

TEST(ChromeTrace, TasksAreCompleteEventsInMicroseconds) {
  const json trace = json::parse(chrome_trace(small_plan()));
  const std::vector<json> events = events_of(trace, "X");
  EXPECT_EQ(events.size(), 10u);
  const auto solve = std::find_if(events.begin(), events.end(),
                                  [](const json& event) { return event["name"] == "solve"; });
  ASSERT_NE(solve, events.end());
  EXPECT_EQ((*solve)["ts"], 1'200'000'000);
  EXPECT_EQ((*solve)["dur"], 3'000'000'000);
  EXPECT_EQ((*solve)["args"]["processors"], 8);
  EXPECT_EQ((*solve)["args"]["workflow"], "demo");
  EXPECT_EQ((*solve)["args"]["critical"], true);
}

TEST(ChromeTrace, EventsOfALaneDoNotOverlapAndLanesAreFew) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const json trace = json::parse(chrome_trace(random_plan(seed, {.clusters = 2})));
    std::map<std::pair<int, int>, std::vector<std::pair<Time, Time>>> lanes;
    std::map<int, std::vector<std::pair<Time, int>>> changes;
    for (const json& event : events_of(trace, "X")) {
      const Time begin = event["ts"];
      const Time end = begin + event["dur"].get<Time>();
      lanes[{event["pid"], event["tid"]}].emplace_back(begin, end);
      changes[event["pid"]].emplace_back(begin, 1);
      changes[event["pid"]].emplace_back(end, -1);
    }
    std::map<int, int> lane_count;
    for (auto& [lane, spans] : lanes) {
      ++lane_count[lane.first];
      std::sort(spans.begin(), spans.end());
      for (std::size_t i = 1; i < spans.size(); ++i) {
        EXPECT_GE(spans[i].first, spans[i - 1].second);
      }
    }
    // As many lanes as events at the busiest moment, and no more.
    for (auto& [pid, list] : changes) {
      std::sort(list.begin(), list.end());
      int running = 0;
      int most = 0;
      for (const auto& change : list) most = std::max(most, running += change.second);
      EXPECT_EQ(lane_count[pid], most);
    }
  }
}

TEST(ChromeTrace, EveryProcessAndLaneHasAName) {
  const json trace = json::parse(chrome_trace(random_plan(3, {.clusters = 2})));
  std::set<int> processes;
  std::set<std::pair<int, int>> lanes;
  for (const json& event : events_of(trace, "M")) {
    if (event["name"] == "process_name") processes.insert(event["pid"].get<int>());
    if (event["name"] == "thread_name") lanes.emplace(event["pid"], event["tid"]);
  }
  for (const json& event : events_of(trace, "X")) {
    EXPECT_TRUE(processes.contains(event["pid"]));
    EXPECT_TRUE(lanes.contains({event["pid"], event["tid"]}));
  }
}

TEST(ChromeTrace, ReservationsAreAProcessOfTheirOwn) {
  const json trace = json::parse(chrome_trace(small_plan()));
  std::set<int> tasks;
  std::set<int> reservations;
  for (const json& event : events_of(trace, "X")) {
    (event["cat"] == "reservation" ? reservations : tasks).insert(event["pid"].get<int>());
  }
  EXPECT_EQ(tasks.size(), 1u);
  EXPECT_EQ(reservations.size(), 1u);
  EXPECT_NE(tasks, reservations);
}

TEST(ChromeTrace, LostRunsAreEventsThatSaySo) {
  const json trace = json::parse(chrome_trace(small_plan_with_lost()));
  const std::vector<json> events = events_of(trace, "X");
  EXPECT_EQ(events.size(), 12u);
  const auto lost = std::find_if(events.begin(), events.end(),
                                 [](const json& event) { return event["name"] == "mesh (lost)"; });
  ASSERT_NE(lost, events.end());
  EXPECT_EQ((*lost)["cat"], "task,lost");
  EXPECT_EQ((*lost)["dur"], 480'000'000);
  EXPECT_EQ((*lost)["args"]["processors"], 4);
}

TEST(ChromeTrace, OddPlansAreValidJson) {
  PlanRecord record = small_plan();
  record.tasks[0].id = "\"\\\xff\x01";
  record.tasks[1].start = -kForever;
  record.tasks[1].end = kForever;
  const json trace = json::parse(chrome_trace(record));
  EXPECT_EQ(events_of(trace, "X").size(), 10u);
  EXPECT_TRUE(json::parse(chrome_trace(PlanRecord{}))["traceEvents"].empty());
}

}  // namespace
}  // namespace dovetail::draw
