// Plans in whole nodes: job lengths, limits, names.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "batch/node_plan.hpp"
#include "dovetail/planner.hpp"
#include "support/cluster_pictures.hpp"
#include "support/file_checks.hpp"

namespace dovetail::batch {
namespace {

using testing::idle_nodes;
using testing::reserved;
using testing::running;
using testing::waiting;

constexpr WallTime kNow = testing::kPictureTime;
constexpr Duration kOverhead = 15 * kSecond;

Plan earliest_plan(const Problem& problem) {
  auto plans = plan_all(problem);
  return std::move(plans[best_plan(plans, problem.goal())]);
}

Problem problem_of(const std::vector<TaskSpec>& tasks,
                   const std::vector<std::pair<TaskId, TaskId>>& edges, Count processors) {
  WorkflowBuilder builder("flow");
  for (const TaskSpec& task : tasks) builder.add_task(task);
  for (const auto& [from, to] : edges) builder.add_edge(from, to);
  return Problem({std::move(builder).build()}, Platform::empty(processors, "main"));
}

NodePlanRules rules_for(const ClusterPicture& picture) {
  return {.limits = limits_of(picture, ""), .overhead = kOverhead, .make_plan = earliest_plan};
}

std::optional<std::vector<PlannedJob>> plan_all_tasks(const Problem& problem,
                                                      const ClusterPicture& picture,
                                                      const NodePlanRules& rules,
                                                      WallTime release = 0) {
  std::vector<TaskId> tasks;
  for (TaskId task = 0; task < problem.task_count(); ++task) tasks.push_back(task);
  return plan_jobs(problem, tasks, std::vector<WallTime>(tasks.size(), release),
                   live_nodes(picture, "", {}), rules);
}

TEST(NodePlan, AJobIsWholeMinutesWithWhatItNeedsBesideItsTask) {
  EXPECT_EQ(job_limit(45 * kSecond, kOverhead), kMinute);
  EXPECT_EQ(job_limit(45 * kSecond + 1, kOverhead), 2 * kMinute);
}

TEST(NodePlan, ATaskGetsWholeNodesAndUsesAsManyOfTheirCoresAsItMay) {
  const ClusterPicture picture = idle_nodes(4);
  const Problem problem = problem_of({{.id = "wide", .time = TimeSpec::fixed(100, 3)}}, {}, 8);
  const auto jobs = plan_all_tasks(problem, picture, rules_for(picture));
  ASSERT_TRUE(jobs);
  EXPECT_EQ(jobs->front().nodes, 2);
  EXPECT_EQ(jobs->front().processors, 3);
  EXPECT_EQ(jobs->front().limit, 2 * kMinute);
  EXPECT_EQ(jobs->front().length, 2 * kMinute);
  EXPECT_EQ(jobs->front().start, kNow);
  NodePlanRules rules = rules_for(picture);
  rules.slack = kMinute;
  const auto late = plan_all_tasks(problem, picture, rules);
  EXPECT_EQ(late->front().limit, 2 * kMinute);
  EXPECT_EQ(late->front().length, 3 * kMinute);
}

TEST(NodePlan, MoreNodesAreUsedWhereTheyMakeAJobShorter) {
  const ClusterPicture picture = idle_nodes(4);
  // 8 minutes alone; 1 on all eight cores.
  const Problem problem =
      problem_of({{.id = "a", .time = TimeSpec::amdahl(8 * 60 - 120, 0)}}, {}, 8);
  const auto jobs = plan_all_tasks(problem, picture, rules_for(picture));
  ASSERT_TRUE(jobs);
  EXPECT_EQ(jobs->front().length, kMinute);
  EXPECT_EQ(jobs->front().processors, 8);
}

TEST(NodePlan, WhatThePartitionDoesNotAllowIsNotConsidered) {
  ClusterPicture picture = idle_nodes(4);
  picture.partitions.front().max_time = 2 * kMinute;
  const Problem moldable = problem_of({{.id = "a", .time = TimeSpec::amdahl(400, 0)}}, {}, 8);
  const auto jobs = plan_all_tasks(moldable, picture, rules_for(picture));
  ASSERT_TRUE(jobs);
  EXPECT_GE(jobs->front().nodes, 2);
  const Problem fixed = problem_of({{.id = "a", .time = TimeSpec::fixed(400, 1)}}, {}, 8);
  EXPECT_EQ(testing::error_of([&] { plan_all_tasks(fixed, picture, rules_for(picture)); }),
            "task \"a\": partition main allows jobs of at most 2m, this one needs 7m");
  picture.partitions.front().max_nodes = 1;
  const Problem wide = problem_of({{.id = "b", .time = TimeSpec::fixed(10, 4)}}, {}, 8);
  EXPECT_EQ(testing::error_of([&] { plan_all_tasks(wide, picture, rules_for(picture)); }),
            "task \"b\": partition main allows jobs on at most 1 nodes, this one needs 2");
}

TEST(NodePlan, GoesAroundWhatOthersHaveAndWaitFor) {
  ClusterPicture picture = idle_nodes(2);
  picture.jobs = {running({"n1"}, 10 * kMinute), waiting(2, 5 * kMinute, 1, "Resources")};
  const Problem problem = problem_of({{.id = "a", .time = TimeSpec::fixed(60, 4)}}, {}, 4);
  const auto jobs = plan_all_tasks(problem, picture, rules_for(picture));
  ASSERT_TRUE(jobs);
  EXPECT_EQ(jobs->front().start, kNow + 15 * kMinute);
}

TEST(NodePlan, OwnJobsForLaterHoldTheirNodesBeforeWhatWaits) {
  ClusterPicture picture = idle_nodes(2);
  picture.jobs = {waiting(2, 5 * kMinute, 1, "Resources")};
  const std::vector<LaterNeed> needs = {{.from = kNow, .length = 2 * kMinute, .nodes = 1}};
  const Platform nodes = live_nodes(picture, "", needs);
  EXPECT_EQ(nodes.calendar(0).free_at(kNow), 1);
  EXPECT_EQ(nodes.calendar(0).free_at(kNow + 3 * kMinute), 0);
  EXPECT_EQ(nodes.calendar(0).free_at(kNow + 7 * kMinute), 2);
}

TEST(NodePlan, NothingStartsBeforeItsReleaseOrEndsAfterTheDeadline) {
  const ClusterPicture picture = idle_nodes(2);
  const Problem problem = problem_of({{.id = "a", .time = TimeSpec::fixed(30)}}, {}, 4);
  NodePlanRules rules = rules_for(picture);
  EXPECT_EQ(plan_all_tasks(problem, picture, rules, kNow + kHour)->front().start, kNow + kHour);
  rules.goal = Goal::deadline;
  rules.deadline = kNow + 59 * kSecond;
  EXPECT_FALSE(plan_all_tasks(problem, picture, rules));
  rules.deadline = kNow + kMinute;
  EXPECT_TRUE(plan_all_tasks(problem, picture, rules));
}

// One node is free at every moment, but not the same one.
TEST(NodePlan, AJobStartsLaterWhereNoNodeIsFreeForAllOfItsTime) {
  ClusterPicture picture = idle_nodes(2);
  picture.jobs = {running({"n1"}, 2 * kMinute)};
  picture.reservations = {reserved({"n2"}, 2 * kMinute, 4 * kMinute)};
  const Problem problem = problem_of(
      {{.id = "a", .time = TimeSpec::fixed(150)}, {.id = "b", .time = TimeSpec::fixed(10)}},
      {{0, 1}}, 4);
  auto jobs = plan_all_tasks(problem, picture, rules_for(picture));
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->front().start, kNow);
  name_nodes(*jobs, problem.workflows().front(), node_windows(picture, ""));
  EXPECT_EQ((*jobs)[0].start, kNow + 2 * kMinute);
  EXPECT_EQ((*jobs)[0].node_names, std::vector<std::string>{"n1"});
  EXPECT_EQ((*jobs)[1].start, kNow + 5 * kMinute);
}

TEST(NodePlan, NodesThatAreNeededSoonAreLeftForShortJobs) {
  ClusterPicture picture = idle_nodes(2);
  picture.reservations = {reserved({"n1"}, kMinute, kHour)};
  const Problem problem = problem_of(
      {{.id = "short", .time = TimeSpec::fixed(30)}, {.id = "long", .time = TimeSpec::fixed(300)}},
      {}, 4);
  auto jobs = plan_all_tasks(problem, picture, rules_for(picture));
  ASSERT_TRUE(jobs);
  name_nodes(*jobs, problem.workflows().front(), node_windows(picture, ""));
  for (const PlannedJob& job : *jobs) {
    EXPECT_EQ(job.start, kNow) << job.task;
    EXPECT_EQ(job.node_names, std::vector<std::string>{job.task == 0 ? "n1" : "n2"});
  }
}

// A cluster of running jobs and reservations, and a workflow for it.
struct RandomCase {
  explicit RandomCase(unsigned seed) : random(seed) {
    const int count = pick(1, 6);
    picture = idle_nodes(count);
    for (int node = 1; node <= count; ++node) {
      const std::vector<std::string> names = {"n" + std::to_string(node)};
      if (pick(0, 2) == 0) picture.jobs.push_back(running(names, pick(1, 300) * kSecond));
      const Duration after = pick(301, 900) * kSecond;
      if (pick(0, 2) == 0) {
        picture.reservations.push_back(reserved(names, after, pick(1, 600) * kSecond));
      }
    }
    if (pick(0, 1) == 0) picture.jobs.push_back(waiting(1, pick(1, 9) * kMinute, 1, "Priority"));
    const int size = pick(1, 8);
    std::vector<TaskSpec> tasks;
    std::vector<std::pair<TaskId, TaskId>> edges;
    for (int i = 0; i < size; ++i) {
      const bool is_fixed = pick(0, 1) == 0;
      tasks.push_back({.id = "t" + std::to_string(i),
                       .time = is_fixed ? TimeSpec::fixed(pick(1, 400), pick(1, 2 * count))
                                        : TimeSpec::amdahl(pick(1, 900), 0.1)});
      for (int before = 0; before < i; ++before) {
        if (pick(0, 3) == 0) edges.emplace_back(before, i);
      }
    }
    problem.emplace(problem_of(tasks, edges, 2 * count));
  }

  int pick(int least, int most) { return std::uniform_int_distribution(least, most)(random); }

  std::mt19937 random;
  ClusterPicture picture;
  std::optional<Problem> problem;
};

bool overlaps(const Interval& a, const Interval& b) { return a.begin < b.end && b.begin < a.end; }

TEST(NodePlan, EveryNamedPlanCanBeReserved) {
  int later = 0;
  for (unsigned seed = 1; seed <= 2'000; ++seed) {
    SCOPED_TRACE(seed);
    RandomCase random(seed);
    auto jobs = plan_all_tasks(*random.problem, random.picture, rules_for(random.picture));
    ASSERT_TRUE(jobs);
    std::map<TaskId, WallTime> planned;
    for (const PlannedJob& job : *jobs) planned[job.task] = job.start;
    NodeWindows taken = node_windows(random.picture, "");
    const Workflow& workflow = random.problem->workflows().front();
    name_nodes(*jobs, workflow, taken);
    std::map<TaskId, WallTime> ends;
    for (const PlannedJob& job : *jobs) {
      ASSERT_EQ(job.node_names.size(), static_cast<std::size_t>(job.nodes));
      EXPECT_GE(job.start, planned[job.task]);
      later += job.start > planned[job.task] ? 1 : 0;
      for (const TaskId before : workflow.predecessors(job.task)) {
        ASSERT_TRUE(ends.contains(before));
        EXPECT_LE(ends[before], job.start);
      }
      ends[job.task] = job.end();
      for (const std::string& node : job.node_names) {
        for (const Interval& window : taken[node]) {
          EXPECT_FALSE(overlaps(window, {job.start, job.end()})) << node;
        }
        taken[node].push_back({job.start, job.end()});
      }
    }
  }
  EXPECT_GT(later, 0);  // the hard case is among them
}

}  // namespace
}  // namespace dovetail::batch
