// GLUME+: when it submits tasks one by one, when it comes back from that, and that its runs are
// sound.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "queue/sim/workflow_run.hpp"
#include "queue/strategies/strategy.hpp"
#include "support/task_rows.hpp"

namespace dovetail::queue {
namespace {

using testing::Row;
using testing::tasks_of;

// Nodes that others have reserved, from second to second.
Reservation taken(int start, int end, Count nodes) {
  return {start * kSecond, end * kSecond, nodes};
}

QueueRules machine(Count nodes, std::vector<Reservation> reservations = {}) {
  return {.room = {.nodes = nodes}, .reservations = std::move(reservations)};
}

WorkflowResult run(const QueueRules& rules, const std::vector<Row>& rows, std::string_view strategy,
                   const StrategyOptions& options) {
  const LeveledTasks tasks = tasks_of(rows);
  RunTimes run_times(tasks, options.pick);
  Background background(rules, std::make_shared<const std::vector<Job>>());
  background.run_through(0);
  return run_workflow(background, *find_strategy(strategy), run_times, options);
}

// Three free nodes for 100 seconds, one for 1000, then none for long: no rectangle holds all.
QueueRules ragged_machine() {
  return machine(4, {taken(0, 100, 1), taken(100, 1000, 3), taken(1000, 10'000, 4)});
}

TEST(GlumePlus, TasksGoOneByOneIntoAHoleThatNoJobFits) {
  const std::vector<Row> rows = {{900}, {90}, {90}};
  const WorkflowResult jobs = run(ragged_machine(), rows, "GLUME", {.cap = 16});
  EXPECT_EQ(jobs.makespan, 10'900 * kSecond);
  const WorkflowResult result = run(ragged_machine(), rows, "GLUME+", {.cap = 16});
  EXPECT_EQ(result.makespan, 900 * kSecond);
  EXPECT_EQ(result.jobs.size(), 3U);
  EXPECT_TRUE(result.single_mode);
  EXPECT_EQ(result.utilisation(), 1.0);
}

TEST(GlumePlus, UnderACapOfOneTheTasksStayTogether) {
  const WorkflowResult result = run(machine(4), {{900}, {90}, {90}}, "GLUME+", {.cap = 1});
  EXPECT_EQ(result.jobs.size(), 1U);
  EXPECT_EQ(result.makespan, 900 * kSecond);
  EXPECT_FALSE(result.single_mode);
}

TEST(GlumePlus, SingleTasksMustBeEstimatedClearlyBetter) {
  // The job of both waits for the second node: 104 against 100 is too little of a gain.
  const WorkflowResult close = run(machine(2, {taken(0, 4, 1)}), {{100}, {96}}, "GLUME+", {});
  EXPECT_EQ(close.jobs.size(), 1U);
  EXPECT_EQ(close.makespan, 104 * kSecond);
  // 110 against 100 is enough.
  const WorkflowResult clear = run(machine(2, {taken(0, 10, 1)}), {{100}, {90}}, "GLUME+", {});
  EXPECT_EQ(clear.jobs.size(), 2U);
  EXPECT_EQ(clear.makespan, 100 * kSecond);
}

TEST(GlumePlus, SingleTasksGetNoMoreThanOthersLeaveIdle) {
  // One node is free at first and all five a minute later. A job of two nodes ends after 170
  // seconds; single tasks after 160, if the last one finds a second node.
  const std::vector<Row> rows = {{10}, {100}, {100, {0}}, {10, {1}}};
  const LeveledTasks tasks = tasks_of(rows);
  constexpr int kDay = 86'400;
  const auto run_after = [&](Count held) {
    auto others = std::make_shared<std::vector<Job>>();
    others->push_back({.run = kDay * kSecond, .ask = {.nodes = held, .length = kDay * kSecond}});
    Background background(machine(5, {taken(kDay, kDay + 60, 4)}), others);
    background.run_through(kDay * kSecond);
    RunTimes run_times(tasks, Pick::shortest);
    return run_workflow(background, *find_strategy("GLUME+"), run_times, {.cap = 4});
  };
  const WorkflowResult quiet = run_after(1);
  EXPECT_EQ(quiet.jobs.size(), 4U);
  EXPECT_EQ(quiet.makespan, 160 * kSecond);
  // Others held four nodes all day and may come back: only one is counted on.
  const WorkflowResult busy = run_after(4);
  EXPECT_EQ(busy.jobs.size(), 1U);
  EXPECT_EQ(busy.makespan, 170 * kSecond);
}

TEST(GlumePlus, ComesBackFromSingleTasksWhenALevelIsComplete) {
  // Level 0 fits its hole only as two jobs; under the cap the eight tasks of level 1 would go two
  // by two, while a job takes them all at once.
  std::vector<Row> rows = {{950}, {90}};
  for (int i = 0; i < 8; ++i) rows.push_back({200, {0, 1}});
  const WorkflowResult result =
      run(machine(8, {taken(0, 100, 6), taken(100, 1000, 7), taken(1000, 1001, 8)}), rows, "GLUME+",
          {.cap = 2});
  ASSERT_EQ(result.jobs.size(), 3U);
  EXPECT_EQ(result.jobs[0].tasks.size(), 1U);
  EXPECT_EQ(result.jobs[1].tasks.size(), 1U);
  EXPECT_EQ(result.jobs[2].tasks.size(), 8U);
  EXPECT_EQ(result.jobs[2].nodes, 8);
  EXPECT_EQ(result.jobs[2].submit, 950 * kSecond);
  EXPECT_EQ(result.makespan, 1201 * kSecond);
  EXPECT_FALSE(result.single_mode);
}

TEST(GlumePlus, HoldsNoMoreNodesThanTheUtilisationAllows) {
  // One job on n nodes, the shortest tasks first: 1300, 1100, 1100, 1000 seconds for n = 1 .. 4.
  const std::vector<Row> rows = {{1000}, {100}, {100}, {100}};
  const auto nodes_for = [&](double utilisation) {
    const WorkflowResult result =
        run(machine(4), rows, "GLUME+", {.cap = 1, .min_utilisation = utilisation});
    EXPECT_EQ(result.jobs.size(), 1U);
    EXPECT_GE(result.utilisation(), utilisation);
    return result.jobs.front().nodes;
  };
  EXPECT_EQ(nodes_for(0), 4);
  EXPECT_EQ(nodes_for(0.5), 2);
  EXPECT_EQ(nodes_for(0.6), 1);
  EXPECT_EQ(nodes_for(1), 1);
}

// The most at the same moment; intervals are half-open.
std::size_t most_at_once(const std::vector<Interval>& intervals) {
  std::size_t most = 0;
  for (const Interval& at : intervals) {
    most = std::max(
        most, static_cast<std::size_t>(std::ranges::count_if(intervals, [&](const Interval& other) {
          return other.begin <= at.begin && at.begin < other.end;
        })));
  }
  return most;
}

// The job in which each task was done.
std::vector<const PilotRecord*> homes_of(const WorkflowResult& result) {
  std::vector<const PilotRecord*> homes(result.tasks.size());
  for (const PilotRecord& job : result.jobs) {
    for (const TaskId task : job.tasks) {
      const Interval& ran = result.tasks[task];
      if (job.start && *job.start <= ran.begin && ran.end <= job.end) homes[task] = &job;
    }
  }
  return homes;
}

void expect_sound(const std::vector<Row>& rows, const WorkflowResult& result, Count cap) {
  const auto homes = homes_of(result);
  for (TaskId task = 0; task < rows.size(); ++task) {
    const Interval& ran = result.tasks[task];
    ASSERT_EQ(ran.end - ran.begin, rows[task].seconds * kSecond);
    ASSERT_NE(homes[task], nullptr) << "task " << task << " ran outside its jobs";
    for (const TaskId parent : rows[task].parents) {
      ASSERT_LE(result.tasks[parent].end, ran.begin) << parent << " before " << task;
    }
  }
  std::vector<Interval> in_system;
  for (const PilotRecord& job : result.jobs) {
    in_system.push_back({job.submit, job.end});
    if (job.start) {
      EXPECT_LE(job.end - *job.start, job.request);
    }
    std::vector<Interval> inside;
    for (const TaskId task : job.tasks) {
      if (homes[task] == &job) inside.push_back(result.tasks[task]);
    }
    ASSERT_LE(most_at_once(inside), static_cast<std::size_t>(job.nodes));
  }
  ASSERT_LE(most_at_once(in_system), static_cast<std::size_t>(cap));
}

TEST(GlumePlus, RunsOnRandomQueuesAreSound) {
  int singles = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto up_to = [&](int most) {
      return 1 + static_cast<int>(random() % static_cast<unsigned>(most));
    };
    const Count nodes = up_to(8) + 1;
    std::vector<Job> log;
    Time submit = 0;
    for (int id = 0; id < 60; ++id) {
      submit += up_to(15) * kSecond;
      const Duration request = up_to(60) * kSecond;
      log.push_back({.id = id,
                     .submit = submit,
                     .run = std::min<Duration>(request, up_to(60) * kSecond),
                     .ask = {.nodes = up_to(up_to(nodes)), .length = request}});
    }
    std::vector<Row> rows;
    for (int i = 0, size = up_to(14); i < size; ++i) {
      rows.push_back({up_to(60)});
      for (TaskId parent = 0; parent < static_cast<TaskId>(i); ++parent) {
        if (up_to(6) == 1) rows.back().parents.push_back(parent);
      }
    }
    const LeveledTasks tasks = tasks_of(rows);
    const StrategyOptions options{.cap = up_to(5), .min_utilisation = up_to(4) * 0.25 - 0.25};
    RunTimes run_times(tasks, options.pick);
    Background background(machine(nodes), std::make_shared<const std::vector<Job>>(log));
    background.run_through(up_to(300) * kSecond);
    const WorkflowResult result =
        run_workflow(background, *find_strategy("GLUME+"), run_times, options);
    expect_sound(rows, result, options.cap);
    if (HasFatalFailure()) return;
    singles += result.single_mode ? 1 : 0;
  }
  EXPECT_GT(singles, 5) << "the queues must now and then make single tasks worthwhile";
}

}  // namespace
}  // namespace dovetail::queue
