#include "queue/sim/replay_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "queue/sim/rule_names.hpp"

namespace dovetail::queue {
namespace {

using nlohmann::json;

constexpr const char* kLog =
    "; Version: 2.2\n; Computer: a test\n; MaxNodes: 4\n; MaxProcs: 4\n; UnixStartTime: 86400\n"
    "; StartTime: long ago\n"
    "1 100 -1 50 2 -1 -1 2 60 -1 1 11 12 13 14 15 -1 -1\n"
    "2 100 -1 60 3 -1 -1 3 60 -1 1 11 12 13 14 15 -1 -1\n"
    "3 110 -1 80 1 -1 -1 1 60 -1 0 21 22 23 24 25 -1 -1\n"
    "4 120 -1 10 9 -1 -1 9 20 -1 1 -1 -1 -1 -1 -1 -1 -1\n";

struct Result {
  ReplayReport report;
  History history;
  std::vector<JobRecord> jobs;
  std::vector<io::SwfJob> lines;
};

Result replay_text(const std::string& text, const TraceRules& rules,
                   const std::string& policy = "conservative") {
  const TraceFile file(text, "test.swf", rules);
  Result result;
  result.report = {
      file.info(), rules, {.policy = policy, .room = {.nodes = file.info().nodes}}, {}};
  ReplayMetrics metrics(file.info().nodes);
  JobCollector collector;
  SinkGroup sinks;
  sinks.add(metrics);
  sinks.add(collector);
  sinks.add(result.history);
  replay(*file.jobs(), result.report.queue, sinks);
  result.report.summary = metrics.summary();
  result.jobs = collector.take();
  result.lines = file.lines();
  return result;
}

TEST(ReplayJson, HasTheFieldsThatProgramsRead) {
  const Result result = replay_text(kLog, {});
  const json document = json::parse(format_replay(result.report, result.jobs));
  EXPECT_EQ(document["log"], "test");
  EXPECT_EQ(document["nodes"], 4);
  EXPECT_EQ(document["policy"], "conservative");
  EXPECT_EQ(document["requests"], "real");
  EXPECT_EQ(document["unix_start"], 86'500);
  EXPECT_EQ(document["dropped"],
            json::parse(R"({"fields":0,"partial":0,"submit":0,"never_ran":0,"procs":0,"time":0,
                            "large":1})"));
  EXPECT_EQ(document["metrics"]["jobs"], 3);
  EXPECT_DOUBLE_EQ(document["metrics"]["mean_wait"], 50 / 3.0);
  EXPECT_EQ(document["metrics"]["makespan"], 110);
  ASSERT_EQ(document["jobs"].size(), 3U);
  EXPECT_EQ(document["jobs"][1], json::parse(R"({"id":2,"submit":0,"start":50,"end":110,"nodes":3,
                                                 "requested":60})"));
  EXPECT_FALSE(document.contains("timeline"));
}

TEST(ReplayJson, SaysWhichJobsWereKilled) {
  const Result result = replay_text(kLog, {.overrun = Overrun::kill});
  const json document = json::parse(format_replay(result.report, result.jobs));
  EXPECT_EQ(document["metrics"]["killed"], 1);
  EXPECT_EQ(document["jobs"][2]["killed"], true);
  EXPECT_EQ(document["jobs"][2]["end"], 70);
  EXPECT_EQ(document["rules"]["overrun"], "kill");
}

TEST(ReplayJson, HasTheTimelineOnRequest) {
  const Result result = replay_text(kLog, {});
  const json document = json::parse(format_replay(result.report, result.jobs, &result.history));
  EXPECT_EQ(document["timeline"]["step"], 1);
  const json& points = document["timeline"]["points"];
  ASSERT_EQ(points.size(), 110U);
  EXPECT_EQ(points[0], json::parse("[0,1,2]"));
  EXPECT_EQ(points[20], json::parse("[20,1,3]"));
  EXPECT_EQ(points[60], json::parse("[60,0,4]"));
}

TEST(ReplayedLog, HasTheWaitsOfTheReplayAndKeepsTheRest) {
  const Result result = replay_text(kLog, {});
  const io::SwfLog log = replayed_log(result.report, result.lines, result.jobs);
  ASSERT_EQ(log.jobs.size(), 3U);
  EXPECT_EQ(log.jobs[1].wait, 50);
  EXPECT_EQ(log.jobs[2].requested_time, 80) << "raised";
  EXPECT_EQ(log.jobs[2].queue, 24);
  EXPECT_EQ(log.header.find("Computer"), "a test");
  EXPECT_EQ(log.header.unix_start_time(), 86'500);
  EXPECT_FALSE(log.header.find("StartTime")) << "it would be wrong";
}

TEST(ReplayedLog, ReplaysToTheSame) {
  for (const PolicyInfo& policy : policies()) {
    TraceRules rules;
    rules.stretch = 0.5;
    const Result first = replay_text(kLog, rules, std::string(policy.name));
    const std::string text = io::format_swf(replayed_log(first.report, first.lines, first.jobs));
    const Result second = replay_text(text, {}, std::string(policy.name));
    EXPECT_EQ(first.jobs, second.jobs) << policy.name;
  }
}

TEST(PictureOf, DrawsJobsOnlyWhenThereAreFew) {
  const Result result = replay_text(kLog, {});
  const auto picture = picture_of(result.report, result.history, result.jobs);
  EXPECT_EQ(picture.title, "test: conservative");
  EXPECT_EQ(picture.jobs.size(), 3U);
  EXPECT_EQ(picture.date, 86'500'000);
  EXPECT_EQ(picture.window, (Interval{0, 110 * kSecond}));
  const std::vector<JobRecord> many(kMostDrawnJobs + 1, result.jobs[0]);
  EXPECT_TRUE(picture_of(result.report, result.history, many).jobs.empty());
}

TEST(RuleNames, EveryRuleHasOne) {
  EXPECT_EQ(name_of(Requests::accurate), "accurate");
  EXPECT_EQ(name_of(NeverRan::request), "request");
  EXPECT_EQ(name_of(Overrun::raise), "raise");
  EXPECT_EQ(name_of(Compress::none), "none");
}

}  // namespace
}  // namespace dovetail::queue
