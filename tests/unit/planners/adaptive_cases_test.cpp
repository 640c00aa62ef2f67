// The worked cases of the specification of planning on heterogeneous resources, and its sample
// graph.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "dovetail/check.hpp"
#include "dovetail/io.hpp"
#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"
#include "planners/pool/min_min.hpp"
#include "support/listed_events.hpp"
#include "support/sample_pool.hpp"
#include "support/test_data.hpp"

namespace dovetail::planning {

using planning::AheftWorld;

namespace {

using nlohmann::json;
using testing::follow_list;
using testing::sample_problem;

Time milliseconds(const json& seconds) { return std::llround(seconds.get<double>() * 1000.0); }

std::optional<Time> maybe_milliseconds(const json& seconds) {
  return seconds.is_null() ? std::nullopt : std::optional(milliseconds(seconds));
}

// The worked cases.

struct Case {
  std::string name;
  Problem problem;
  json answers;  // by algorithm
};

std::vector<Case> read_cases() {
  std::vector<Case> cases;
  for (const auto& file : testing::files_in(testing::cases_dir(), "adaptive-", ".json")) {
    const json document = json::parse(std::ifstream(file));
    const json clusters = {{"clusters", document["clusters"]}};
    cases.push_back({file.filename().string(),
                     Problem({parse_workflow(document["workflow"].dump(), "workflow")},
                             parse_platform(clusters.dump(), "clusters")),
                     document["expected"]});
  }
  return cases;
}

// [{"time":40,"join":"r4"},...] or "start", as a history of ours says it.
std::string event_name(const json& event) {
  if (event.is_string()) return event;
  std::string name;
  for (const json& change : event) {
    const std::string what = change.contains("join") ? "join" : "leave";
    name += (name.empty() ? "" : ", ") + what + " " + change[what].get<std::string>();
  }
  return name;
}

void expect_history(const json& expected, const std::vector<Evaluation>& history) {
  ASSERT_EQ(history.size(), expected.size());
  for (std::size_t i = 0; i < history.size(); ++i) {
    SCOPED_TRACE("evaluation " + std::to_string(i));
    EXPECT_EQ(history[i].time, milliseconds(expected[i]["time"]));
    EXPECT_EQ(history[i].event, event_name(expected[i]["event"]));
    EXPECT_EQ(history[i].candidate, maybe_milliseconds(expected[i]["candidate"]));
    EXPECT_EQ(history[i].current, maybe_milliseconds(expected[i]["current"]));
    EXPECT_EQ(history[i].adopted, expected[i]["adopted"].get<bool>());
  }
}

void expect_jobs(const json& expected, const Problem& problem, const Plan& ours) {
  ASSERT_EQ(ours.placements.size(), expected.size());
  for (const Placement& placement : ours.placements) {
    const std::string id(problem.workflows()[0].id(placement.task));
    const json& place = expected[id];
    EXPECT_EQ(problem.platform().clusters()[placement.cluster].name, place[0]) << id;
    EXPECT_EQ(placement.start, milliseconds(place[1])) << id;
    EXPECT_EQ(placement.end, milliseconds(place[2])) << id;
    EXPECT_EQ(placement.procs, 1) << id;
  }
}

class AdaptiveCases : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_FALSE(cases_.empty()); }
  const std::vector<Case> cases_ = read_cases();
};

TEST_F(AdaptiveCases, PlansAreTheWorkedOnes) {
  for (const Case& worked : cases_) {
    ASSERT_EQ(worked.answers.size(), 4U);
    for (const auto& [name, expected] : worked.answers.items()) {
      SCOPED_TRACE(worked.name + " " + name);
      const Plan ours = plan(*find_planner(name), worked.problem);
      ASSERT_TRUE(ours.feasible);
      EXPECT_EQ(makespan(ours), milliseconds(expected["makespan"]));
      expect_jobs(expected["jobs"], worked.problem, ours);
    }
  }
}

TEST_F(AdaptiveCases, HistoriesAreTheWorkedOnes) {
  for (const Case& worked : cases_) {
    for (const char* name : {"AHEFT", "AHEFT_PAPER", "MINMIN"}) {
      SCOPED_TRACE(worked.name + " " + name);
      const Plan ours = plan(*find_planner(name), worked.problem);
      expect_history(worked.answers[name]["history"], ours.history);
    }
  }
}

TEST_F(AdaptiveCases, PlansThatSeeTheEventsAreValid) {
  for (const Case& worked : cases_) {
    for (const char* name : {"AHEFT", "AHEFT_PAPER", "MINMIN"}) {
      SCOPED_TRACE(worked.name + " " + name);
      const Plan ours = plan(*find_planner(name), worked.problem);
      EXPECT_EQ(check(worked.problem, ours), std::vector<std::string>{});
    }
  }
}

// The sample graph of both papers. Resources r1 to r4 are 0 to 3; r4 joins.

constexpr std::size_t kJobs = 10;
constexpr planning::ResourceId kR2 = 1, kR4 = 3;

// What a test says in seconds.
planning::Assignment at(int resource, Time start, Time end) {
  return {static_cast<planning::ResourceId>(resource - 1), start * 1000, end * 1000};
}

std::vector<planning::Assignment> heft_sample() {
  return {at(3, 0, 9),   at(1, 27, 40), at(3, 9, 28),  at(2, 18, 26), at(3, 28, 38),
          at(2, 26, 42), at(3, 38, 49), at(1, 57, 62), at(2, 56, 68), at(2, 73, 80)};
}

class Sample : public ::testing::Test {
 protected:
  AheftWorld world(const planning::AheftOptions& options = {}) const {
    return AheftWorld(graph_, 0, {0, 1, 2}, options);
  }

  Problem problem_ = sample_problem(15'000);
  planning::CostGraph graph_{problem_};
};

planning::AheftOptions mean_inflight() {
  return {.ranks = {planning::RankRule::mean}, .transfers = {planning::TransferModel::inflight}};
}

TEST_F(Sample, HeftMakesThePublishedPlanWithAndWithoutInsertion) {
  planning::Situation start(graph_, 0);
  start.pool = {0, 1, 2};
  for (const planning::SlotRule slots :
       {planning::SlotRule::insertion, planning::SlotRule::append}) {
    const auto schedule = planning::plan_rest(graph_, start, {.slots = slots});
    ASSERT_TRUE(schedule.has_value());
    EXPECT_EQ(schedule->end, 80'000);
    EXPECT_EQ(schedule->tasks, heft_sample());
  }
}

TEST_F(Sample, RanksAreThePublishedOnes) {
  planning::Situation start(graph_, 0);
  start.pool = {0, 1, 2};
  const std::vector<double> ours = planning::ranks(graph_, start, planning::RankRule::mean);
  const std::array<double, kJobs> published = {108,   77,    80,    80,    69,
                                               63.33, 42.67, 35.67, 44.33, 14.67};
  ASSERT_EQ(ours.size(), kJobs);
  for (std::size_t job = 0; job < kJobs; ++job) {
    EXPECT_NEAR(ours[job] / (2 * 3) / 1000, published[job], 0.005) << "n" << job + 1;
  }
}

TEST_F(Sample, TableOfPlannersGives80And76And101) {
  const auto end = [&](const char* name) { return makespan(plan(*find_planner(name), problem_)); };
  EXPECT_EQ(end("HEFT"), 80'000);
  EXPECT_EQ(end("AHEFT"), 76'000);
  EXPECT_EQ(end("AHEFT_PAPER"), 80'000);
  // Without r4, as the specification has it.
  const Problem without = sample_problem(10'000'000);
  EXPECT_EQ(makespan(plan(*find_planner("MINMIN"), without)), 101'000);
}

TEST_F(Sample, MinMinIs101) {
  const auto schedule = planning::run_min_min(graph_, 0, {0, 1, 2}, {}, StageIn::parallel);
  ASSERT_TRUE(schedule.has_value());
  EXPECT_EQ(schedule->end, 101'000);
}

// A row of the table of what it takes to get from 80 to 76.
struct Row {
  const char* name;
  std::vector<planning::RankRule> ranks;
  std::vector<planning::TransferModel> transfers;
  bool restart;
  Time candidate, final;
};

std::vector<Row> rows_of_the_table() {
  using enum planning::TransferModel;
  const std::vector<planning::RankRule> mean = {planning::RankRule::mean},
                                        max = {planning::RankRule::max};
  const std::vector<planning::RankRule> portfolio = planning::AheftOptions{}.ranks;
  return {{"mean literal keep", mean, {literal}, false, 93, 80},
          {"mean literal restart", mean, {literal}, true, 93, 80},
          {"mean inflight keep", mean, {inflight}, false, 80, 80},
          {"mean inflight restart", mean, {inflight}, true, 81, 80},
          {"mean multicast keep", mean, {multicast}, false, 87, 80},
          {"mean multicast restart", mean, {multicast}, true, 80, 80},
          {"max inflight keep", max, {inflight}, false, 76, 76},
          {"max multicast restart", max, {multicast}, true, 77, 77},
          {"portfolio inflight keep", portfolio, {inflight}, false, 76, 76},
          {"portfolio both keep", portfolio, {inflight, literal}, false, 76, 76}};
}

TEST_F(Sample, EveryReadingGivesTheNumbersOfTheTable) {
  for (const Row& row : rows_of_the_table()) {
    SCOPED_TRACE(row.name);
    AheftWorld world =
        this->world({.ranks = row.ranks, .transfers = row.transfers, .restart = row.restart});
    const auto history =
        follow_list(world, {{.time = 15'000, .kind = Event::Kind::join, .resource = kR4}});
    ASSERT_EQ(history.size(), 2U);
    EXPECT_EQ(history[0].candidate, 80'000);
    EXPECT_EQ(history[1].current, 80'000);
    EXPECT_EQ(history[1].candidate, row.candidate * 1000);
    EXPECT_EQ(history[1].adopted, row.final < 80);
    EXPECT_EQ(world.schedule().end, row.final * 1000);
  }
}

TEST_F(Sample, TheRankOfLargestCostsGivesTheScheduleOf76) {
  AheftWorld world = this->world(
      {.ranks = {planning::RankRule::max}, .transfers = {planning::TransferModel::inflight}});
  follow_list(world, {{.time = 15'000, .kind = Event::Kind::join, .resource = kR4}});
  const std::vector<planning::Assignment> expected = {
      at(3, 0, 9),   at(1, 27, 40), at(3, 9, 28),  at(2, 18, 26), at(2, 26, 39),
      at(3, 28, 37), at(3, 37, 48), at(1, 53, 58), at(2, 56, 68), at(2, 69, 76)};
  EXPECT_EQ(world.schedule().tasks, expected);
}

// The last end on a resource, in seconds.
Time last_end_on(const AheftWorld& world, planning::ResourceId resource) {
  Time last = 0;
  for (const planning::Assignment& task : world.schedule().tasks) {
    if (task.resource == resource) last = std::max(last, task.end);
  }
  return last;
}

TEST_F(Sample, NothingEndsOnAResourceAfterItLeft) {
  for (const planning::AheftOptions& options :
       {planning::AheftOptions{}, mean_inflight(), planning::paper_options()}) {
    AheftWorld world = this->world(options);
    const auto history =
        follow_list(world, {{.time = 30'000, .kind = Event::Kind::leave, .resource = kR2}});
    ASSERT_EQ(history.size(), 2U);
    EXPECT_FALSE(history[1].current.has_value());
    EXPECT_TRUE(history[1].adopted);
    EXPECT_EQ(world.schedule().end, history[1].candidate);
    EXPECT_LE(last_end_on(world, kR2), 30'000);
    // n4 ended there before; it is not lost.
    EXPECT_EQ(world.schedule().tasks[3], at(2, 18, 26));
  }
}

TEST_F(Sample, NothingEndsOnAResourceAfterItsAnnouncedLeave) {
  for (const planning::AheftOptions& options :
       {planning::AheftOptions{}, mean_inflight(), planning::paper_options()}) {
    AheftWorld world = this->world(options);
    const auto history = follow_list(
        world,
        {{.time = 30'000, .kind = Event::Kind::leave_later, .resource = kR2, .until = 45'000}});
    ASSERT_EQ(history.size(), 2U);
    EXPECT_FALSE(history[1].current.has_value());
    EXPECT_TRUE(history[1].adopted);
    EXPECT_LE(last_end_on(world, kR2), 45'000);
    // What runs there may end in time: it is neither stopped nor moved.
    EXPECT_EQ(world.schedule().tasks[5], at(2, 26, 42));
  }
}

TEST_F(Sample, WhatCannotEndBeforeAnAnnouncedLeaveIsPlannedAgainAtOnce) {
  // n6 runs on r2 from 26 to 42.
  AheftWorld world = this->world(mean_inflight());
  const auto history = follow_list(
      world,
      {{.time = 30'000, .kind = Event::Kind::leave_later, .resource = kR2, .until = 40'000}});
  ASSERT_EQ(history.size(), 2U);
  EXPECT_TRUE(history[1].adopted);
  EXPECT_LE(last_end_on(world, kR2), 40'000);
  EXPECT_GE(world.schedule().tasks[5].start, 30'000);
}

// Three tasks that do not depend on each other, on resources r1 and r2.
Problem three_tasks() {
  constexpr std::array<std::array<int, 2>, 3> kCosts = {{{1, 3}, {2, 3}, {3, 1}}};
  WorkflowBuilder builder("three");
  for (const auto& [on_r1, on_r2] : kCosts) {
    builder.add_task({.id = "n" + std::to_string(builder.size() + 1),
                      .time = TimeSpec::per_resource({{"r1", on_r1}, {"r2", on_r2}})});
  }
  return Problem({std::move(builder).build()},
                 Platform(0, {{.name = "r1", .processors = 1}, {.name = "r2", .processors = 1}}));
}

TEST(AnnouncedLeave, CostsOnAResourceThatIsGoneCountInNoRank) {
  // By their costs on r2 alone n1 and n2 are alike; with those on r1, n2 would come first.
  const Problem problem = three_tasks();
  const planning::CostGraph graph(problem);
  AheftWorld world(graph, 0, {0}, mean_inflight());
  follow_list(world,
              {{.time = 2'000, .kind = Event::Kind::leave_later, .resource = 0, .until = 4'000},
               {.time = 7'000, .kind = Event::Kind::join, .resource = 1}});
  const std::vector<planning::Assignment> expected = {at(2, 7, 10), at(2, 10, 13), at(1, 0, 3)};
  EXPECT_EQ(world.schedule().tasks, expected);
}

TEST_F(Sample, SlowingR2ThreefoldAt20IsAnsweredBy108InsteadOf143) {
  const Event slow{.time = 20'000, .kind = Event::Kind::slow, .resource = kR2, .factor = 3};
  AheftWorld shifted = world(mean_inflight());
  planning::evaluate(shifted, 0, "start");
  shifted.advance(slow.time);
  shifted.apply({slow});
  EXPECT_EQ(shifted.current_end(), 143'000);

  AheftWorld replanned = world(mean_inflight());
  const auto history = follow_list(replanned, {slow});
  ASSERT_EQ(history.size(), 2U);
  EXPECT_EQ(history[1].current, 143'000);
  EXPECT_EQ(history[1].candidate, 108'000);
  EXPECT_TRUE(history[1].adopted);
  EXPECT_EQ(replanned.schedule().end, 108'000);
}

TEST_F(Sample, EventsAtTheEndOrLaterAreIgnored) {
  AheftWorld world = this->world();
  const auto history =
      follow_list(world, {{.time = 80'000, .kind = Event::Kind::leave, .resource = kR2},
                          {.time = 90'000, .kind = Event::Kind::join, .resource = kR4}});
  EXPECT_EQ(history.size(), 1U);
  EXPECT_EQ(world.schedule().tasks, heft_sample());
}

}  // namespace
}  // namespace dovetail::planning
