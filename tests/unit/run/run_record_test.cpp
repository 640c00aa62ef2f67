// A run as pictures draw it.
#include "run/report/run_record.hpp"

#include <gtest/gtest.h>

#include <map>

#include "run/report/run_facts.hpp"
#include "support/sample_run.hpp"

namespace dovetail::run {
namespace {

using testing::a;
using testing::b;
using testing::begin_diamond;
using testing::bumpy_run;
using testing::c;
using testing::diamond;
using testing::layered_problem;
using testing::random_run;
using testing::RandomRunOptions;
using testing::ScriptedRun;

const TaskRecord* find(const std::vector<TaskRecord>& tasks, const std::string& id) {
  for (const TaskRecord& task : tasks) {
    if (task.id == id) return &task;
  }
  return nullptr;
}

void expect_run(const TaskRecord* task, Time start, Time end, Count procs) {
  ASSERT_NE(task, nullptr);
  EXPECT_EQ(task->start, start) << task->id;
  EXPECT_EQ(task->end, end) << task->id;
  EXPECT_EQ(task->processors, procs) << task->id;
}

// The most processors that a record holds at once.
Count peak(const PlanRecord& record) {
  std::map<Time, Count> changes;
  for (const auto* runs : {&record.tasks, &record.lost}) {
    for (const TaskRecord& run : *runs) {
      changes[run.start] += run.processors;
      changes[run.end] -= run.processors;
    }
  }
  Count held = 0;
  Count most = 0;
  for (const auto& [time, change] : changes) most = std::max(most, held += change);
  return most;
}

void expect_order(const Problem& problem, const PlanRecord& record) {
  std::map<std::string, const TaskRecord*> by_id;
  for (const TaskRecord& task : record.tasks) by_id[task.id] = &task;
  const Workflow& workflow = problem.workflows().front();
  for (TaskId task = 0; task < workflow.size(); ++task) {
    const auto found = by_id.find(std::string(workflow.id(task)));
    if (found == by_id.end()) continue;
    EXPECT_LE(found->second->start, found->second->end);
    for (const TaskId before : workflow.predecessors(task)) {
      const auto input = by_id.find(std::string(workflow.id(before)));
      ASSERT_NE(input, by_id.end()) << found->first << " without what it needs";
      EXPECT_LE(input->second->end, found->second->start) << found->first;
    }
  }
}

std::vector<std::string> critical(const PlanRecord& record) {
  std::vector<std::string> ids;
  for (const TaskRecord& task : record.tasks) {
    if (task.critical) ids.push_back(task.id);
  }
  return ids;
}

TEST(RunRecord, PlannedIsTheFirstPlan) {
  const Problem problem = diamond();
  ScriptedRun run(problem);
  begin_diamond(run);
  run.plan(5000, {.event = "late a", .adopted = true},
           {{1, 0, 20'000}, {}, {}, {4, 50'000, 60'000}});
  const PlanRecord record = planned_record(problem, run.state());
  ASSERT_EQ(record.tasks.size(), 4U);
  expect_run(find(record.tasks, "d"), 30'000, 40'000, 1);
  EXPECT_EQ(record.makespan, 40'000);
  EXPECT_EQ(critical(record), (std::vector<std::string>{"a", "b", "d"}));
}

TEST(RunRecord, ExecutedHasTheAttemptThatCountsAndTheOthersAsLost) {
  const Problem problem = diamond();
  const ScriptedRun run = bumpy_run(problem);
  const PlanRecord record = executed_record(problem, run.state());
  ASSERT_EQ(record.tasks.size(), 4U);
  expect_run(find(record.tasks, "b"), 25'000, 47'000, 2);
  ASSERT_EQ(record.lost.size(), 1U);
  expect_run(record.lost.data(), 12'000, 20'000, 2);
  EXPECT_EQ(record.makespan, 57'000);
  EXPECT_NEAR(record.cpu_hours, (12 + 44 + 20 + 9) / 3600.0, 1e-9);
  ASSERT_EQ(record.history.size(), 3U);
  EXPECT_EQ(record.history[0].event, "start");
  EXPECT_EQ(record.history[2].event, "b failed");
  EXPECT_EQ(record.clusters.front().processors, 4);
}

TEST(RunRecord, ChainThatDecidedTheEndLeadsThroughLatenciesAndFailures) {
  const Problem problem = diamond();
  const ScriptedRun run = bumpy_run(problem);
  // d follows b, whose second attempt follows its first, which follows a.
  EXPECT_EQ(critical(executed_record(problem, run.state())),
            (std::vector<std::string>{"a", "b", "d"}));
}

TEST(RunRecord, WhoWaitedForProcessorsFollowsWhoHadThem) {
  WorkflowBuilder builder("two");
  builder.add_task({.id = "long", .time = TimeSpec::fixed(10)});
  builder.add_task({.id = "next", .time = TimeSpec::fixed(10)});
  const Problem problem({std::move(builder).build()}, Platform::empty(1, "local"));
  ScriptedRun run(problem);
  run.start(0, 0, 1, 1);
  run.end(10'000, 0, 1, 0, 1);
  run.start(10'300, 1, 1, 1);
  run.end(20'300, 1, 1, 0, 1);
  EXPECT_EQ(critical(executed_record(problem, run.state())),
            (std::vector<std::string>{"long", "next"}));
}

TEST(RunRecord, SecondAttemptFollowsTheFirstWhateverElseEndedBetweenThem) {
  const Problem problem = diamond();
  ScriptedRun run(problem);
  begin_diamond(run);
  run.start(0, a, 1, 1);
  run.end(1000, a, 1, 7, 1);
  run.start(5000, a, 2, 1);
  run.end(9000, a, 2, 0, 1);
  run.start(9000, c, 1, 1);
  run.start(9000, b, 1, 2);
  run.end(12'000, b, 1, 7, 1);
  run.end(20'000, c, 1, 0, 1);
  run.start(22'000, b, 2, 2);
  run.end(30'000, b, 2, 0, 1);
  EXPECT_EQ(critical(executed_record(problem, run.state())), (std::vector<std::string>{"a", "b"}));
}

TEST(RunRecord, NothingStartedIsEmpty) {
  const Problem problem = diamond();
  const RunState nothing(4);
  EXPECT_TRUE(planned_record(problem, nothing).tasks.empty());
  EXPECT_TRUE(executed_record(problem, nothing).tasks.empty());
  EXPECT_TRUE(outlook_record(problem, nothing, 0).tasks.empty());
}

TEST(RunRecord, OutlookGoesOnByThePlanFromNow) {
  const Problem problem = diamond();
  ScriptedRun run(problem);
  begin_diamond(run);
  run.start(0, a, 1, 1);
  run.end(12'000, a, 1, 0, 11);
  run.start(12'000, b, 1, 2);
  run.start(12'000, c, 1, 1);
  const PlanRecord soon = outlook_record(problem, run.state(), 15'000);
  expect_run(find(soon.tasks, "b"), 12'000, 32'000, 2);
  expect_run(find(soon.tasks, "d"), 32'000, 42'000, 1);
  // Later b and c are late: they are thought to end at any moment.
  const PlanRecord late = outlook_record(problem, run.state(), 35'000);
  expect_run(find(late.tasks, "b"), 12'000, 35'000, 2);
  expect_run(find(late.tasks, "d"), 35'000, 45'000, 1);
  EXPECT_EQ(executed_record(problem, run.state()).tasks.size(), 1U);
}

TEST(RunRecord, OutlookLeavesOutWhatCannotRunAnyMore) {
  const Problem problem = diamond();
  ScriptedRun run(problem);
  begin_diamond(run);
  run.start(0, a, 1, 1);
  run.end(10'000, a, 1, 0, 9);
  run.start(10'000, b, 1, 2);
  run.end(11'000, b, 1, 1, 1);
  const PlanRecord record = outlook_record(problem, run.state(), 11'000);
  EXPECT_EQ(record.tasks.size(), 2U);
  expect_run(find(record.tasks, "c"), 11'000, 31'000, 1);
  EXPECT_EQ(record.lost.size(), 1U);
}

TEST(RunRecord, OutlookWaitsAsLongAsARetryHasTo) {
  const Problem problem = diamond();
  ScriptedRun run(problem);
  begin_diamond(run);
  run.start(0, a, 1, 1);
  run.end(1000, a, 1, 1, 1);
  run.apply(retry_entry(ScriptedRun::stamp(1000), a, 6000));
  expect_run(find(outlook_record(problem, run.state(), 2000).tasks, "a"), 6000, 16'000, 1);
}

TEST(RunRecord, MoreProcessorsThanAtTheBeginningAreDrawn) {
  const Problem problem = diamond();
  ScriptedRun run(problem);
  begin_diamond(run);
  run.apply(resources_entry(ScriptedRun::stamp(10), 12));
  EXPECT_EQ(executed_record(problem, run.state()).clusters.front().processors, 12);
  run.apply(resources_entry(ScriptedRun::stamp(20), 2));
  run.start(20, a, 1, 6);
  run.end(30, a, 1, 0, 1);
  EXPECT_EQ(executed_record(problem, run.state()).clusters.front().processors, 6);
}

TEST(RunRecord, RandomRunsStayWithinTheirProcessorsAndInOrder) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomRunOptions options{.tasks = 20 + 10 * seed, .processors = 8};
    const Problem problem = layered_problem(seed, options);
    for (const std::size_t stop_after : {0UL, 15UL}) {
      RandomRunOptions own = options;
      own.stop_after = stop_after;
      const ScriptedRun run = random_run(problem, seed, own);
      const PlanRecord executed = executed_record(problem, run.state());
      const PlanRecord outlook =
          outlook_record(problem, run.state(), run.state().last().at + 100 * seed);
      for (const PlanRecord* record : {&executed, &outlook}) {
        EXPECT_LE(peak(*record), 8);
        EXPECT_EQ(record->clusters.front().processors, 8);
        expect_order(problem, *record);
      }
      EXPECT_EQ(outlook.tasks.size(), problem.task_count());
      EXPECT_EQ(executed.tasks.size(), run.state().count(TaskState::done));
      EXPECT_FALSE(critical(executed).empty());
      const RunFacts facts = facts_of(problem, run.state());
      EXPECT_LE(facts.use.real, 1.0);
      EXPECT_EQ(executed.lost.size(), facts.vain_attempts);
    }
  }
}

}  // namespace
}  // namespace dovetail::run
