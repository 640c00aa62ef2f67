// Figures and JSON of a workflow's run in a batch queue.
#include "queue/sim/queue_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace dovetail::queue {
namespace {

using nlohmann::json;

Time at(int seconds) { return seconds * kSecond; }

PilotRecord job(int submit, std::optional<int> start, int end, PilotOutcome outcome) {
  PilotRecord record{.tasks = {0}, .nodes = 2, .request = at(50), .submit = at(submit)};
  if (start) record.start = at(*start);
  record.end = at(end);
  record.outcome = outcome;
  return record;
}

// Submitted at 100: waits 10, runs 20, waits 10, and two jobs overlap up to the end at 180.
WorkflowResult sample_result() {
  WorkflowResult result{.submitted = at(100), .makespan = at(80)};
  result.jobs = {job(100, 110, 130, PilotOutcome::expired),
                 job(110, std::nullopt, 130, PilotOutcome::cancelled),
                 job(130, 140, 170, PilotOutcome::done), job(130, 160, 180, PilotOutcome::done)};
  result.tasks = {{at(140), at(170)}, {at(160), at(180)}};
  result.used = at(50);
  result.held = at(140);
  return result;
}

LeveledTasks sample_tasks() {
  WorkflowBuilder builder("two \"tasks\"");
  builder.add_task({.id = "a", .time = TimeSpec::fixed(30)});
  builder.add_task({.id = "b", .time = TimeSpec::fixed(20)});
  builder.add_edge(0, 1);
  return {std::move(builder).build(), Cluster{.name = "c", .processors = 1}};
}

Site sample_site() {
  return make_site(Platform(0, {{.name = "c",
                                 .processors = 8,
                                 .queue = QueueSpec{.log = "", .policy = "easy", .max_jobs = 5}}}),
                   "cluster.yaml", {});
}

TEST(QueueReport, TimeWithoutAJobIsWhatNoRunningJobCovers) {
  EXPECT_EQ(time_without_a_job(sample_result()), at(20));
  EXPECT_EQ(sample_result().total_wait(), at(10 + 20 + 10 + 30));
}

TEST(QueueReport, AJobWithinAnotherLeavesNoGap) {
  WorkflowResult result{.submitted = 0, .makespan = at(60)};
  result.jobs = {job(0, 0, 50, PilotOutcome::done), job(0, 10, 20, PilotOutcome::done),
                 job(0, 55, 60, PilotOutcome::done)};
  EXPECT_EQ(time_without_a_job(result), at(5));
}

TEST(QueueReport, TheEndOfACancelledJobMayBeTheLast) {
  WorkflowResult result{.submitted = 0, .makespan = at(60)};
  result.jobs = {job(0, 0, 50, PilotOutcome::done),
                 job(0, std::nullopt, 60, PilotOutcome::cancelled)};
  EXPECT_EQ(time_without_a_job(result), at(10));
}

TEST(QueueReport, TheBestRunEndsFirstThenHoldsLeast) {
  const auto made = [](const char* name, int makespan, int held) {
    return QueueRun{name, {.makespan = at(makespan), .held = at(held)}};
  };
  const std::vector<QueueRun> runs = {made("A", 20, 1), made("B", 10, 9), made("C", 10, 8),
                                      made("D", 10, 8)};
  EXPECT_EQ(best_run(runs), 2U);
}

TEST(QueueReport, ARunIsOneObjectInSeconds) {
  const Site site = sample_site();
  const LeveledTasks tasks = sample_tasks();
  const QueueReport report{site, tasks, {.cap = 5}, {.running = 3, .waiting = 2, .free = 1}};
  const json document = json::parse(format_queue_run(report, {"GLUME", sample_result()}, false));
  EXPECT_EQ(document["strategy"], "GLUME");
  EXPECT_EQ(document["submitted"], 100);
  EXPECT_EQ(document["makespan"], 80);
  EXPECT_EQ(document["workflow"], "two \"tasks\"");
  EXPECT_EQ(document["log"], nullptr);
  EXPECT_EQ(document["nodes"], 8);
  EXPECT_EQ(document["policy"], "easy");
  EXPECT_EQ(document["cap"], 5);
  EXPECT_EQ(document["cap_mode"], "submitted");
  EXPECT_EQ(document["queue"]["waiting"], 2);
  EXPECT_EQ(document["metrics"]["without_a_job"], 20);
  EXPECT_EQ(document["metrics"]["expired"], 1);
  EXPECT_EQ(document["metrics"]["cancelled"], 1);
  EXPECT_DOUBLE_EQ(document["metrics"]["utilisation"].get<double>(), 50.0 / 140);
  EXPECT_FALSE(document.contains("task_runs"));
  ASSERT_EQ(document["jobs"].size(), 4U);
  const json expected = {{"levels", {0, 0}}, {"tasks", 1},   {"nodes", 2}, {"requested", 50},
                         {"submit", 100},    {"start", 110}, {"end", 130}, {"outcome", "expired"}};
  EXPECT_EQ(document["jobs"][0], expected);
  EXPECT_EQ(document["jobs"][1]["start"], nullptr);
  EXPECT_EQ(document["jobs"][1]["outcome"], "cancelled");
}

TEST(QueueReport, TasksAreThereWhenAskedFor) {
  const Site site = sample_site();
  const LeveledTasks tasks = sample_tasks();
  const QueueReport report{site, tasks, {}, {}};
  const json document = json::parse(format_queue_run(report, {"GLUME", sample_result()}, true));
  const json expected = {{{"id", "a"}, {"start", 140}, {"end", 170}},
                         {{"id", "b"}, {"start", 160}, {"end", 180}}};
  EXPECT_EQ(document["task_runs"], expected);
}

TEST(QueueReport, AComparisonIsAListOfRuns) {
  const Site site = sample_site();
  const LeveledTasks tasks = sample_tasks();
  const QueueReport report{site, tasks, {}, {}};
  const std::vector<QueueRun> runs = {{"ONEJOB", sample_result()}, {"ZHANG", sample_result()}};
  const json document = json::parse(format_queue_runs(report, runs, false));
  ASSERT_EQ(document.size(), 2U);
  EXPECT_EQ(document[0], json::parse(format_queue_run(report, runs[0], false)));
  EXPECT_EQ(document[1]["strategy"], "ZHANG");
}

TEST(QueueReport, WaitsAreAnsweredWithTheirStart) {
  const Site site = sample_site();
  const std::vector<WaitAnswer> answers = {{{4, at(60)}, at(15)}};
  const json document = json::parse(format_waits(site, at(100), {.free = 2}, answers));
  EXPECT_EQ(document["at"], 100);
  EXPECT_EQ(document["queue"]["free"], 2);
  const json expected = {{{"nodes", 4}, {"requested", 60}, {"wait", 15}, {"start", 115}}};
  EXPECT_EQ(document["waits"], expected);
}

TEST(QueueReport, SeveralMomentsHaveMeanMedianAndWorst) {
  const InstantRuns odd{"A", {at(10), at(40), at(20)}};
  EXPECT_DOUBLE_EQ(odd.mean(), 70'000.0 / 3);
  EXPECT_DOUBLE_EQ(odd.median(), 20'000);
  EXPECT_EQ(odd.worst(), at(40));
  const InstantRuns even{"B", {at(10), at(40), at(20), at(25)}};
  EXPECT_DOUBLE_EQ(even.median(), 22'500);

  const Site site = sample_site();
  const LeveledTasks tasks = sample_tasks();
  const std::vector<Time> moments = {at(0), at(1), at(2)};
  const json document =
      json::parse(format_instants({site, tasks, {}, {}}, moments, std::vector{odd}));
  EXPECT_EQ(document["submitted"], json({0, 1, 2}));
  EXPECT_EQ(document["strategies"][0]["median_makespan"], 20);
  EXPECT_EQ(document["strategies"][0]["makespans"], json({10, 40, 20}));
}

}  // namespace
}  // namespace dovetail::queue
