#include "planners/list/allocate.hpp"

#include <gtest/gtest.h>

#include "planners/list/earliest_slot.hpp"

namespace dovetail::planning {
namespace {

Problem problem_of(const std::vector<TimeSpec>& times, bool chained, Count processors) {
  WorkflowBuilder builder("w");
  for (const TimeSpec& time : times) {
    const TaskId task =
        builder.add_task({.id = "t" + std::to_string(builder.size()), .time = time});
    if (chained && task > 0) builder.add_edge(task - 1, task);
  }
  return Problem({std::move(builder).build()}, Platform::empty(processors));
}

TEST(ClusterView, SeveralWorkflowsKeepEveryTaskAndEdge) {
  const Problem two = problem_of({TimeSpec::fixed(1), TimeSpec::fixed(2)}, true, 4);
  WorkflowBuilder one("v");
  one.add_task({.id = "t0", .time = TimeSpec::amdahl(4, 0.5)});
  const Problem both({std::move(one).build(), two.workflows()[0]}, Platform::empty(4));
  const planning::ClusterView view(both);
  ASSERT_EQ(view.size(), 3U);
  EXPECT_EQ(view.workflow().size(), 3U);
  EXPECT_EQ(view.workflow().edge_count(), 1U);
  EXPECT_EQ(view.workflow().predecessors(2)[0], 1U);
  EXPECT_EQ(view.time(0).duration(2), 3 * kSecond);
  EXPECT_EQ(view.time(2).duration(1), 2 * kSecond);
  Plan plan;
  view.place(plan, 2, {1, 5, 7});
  EXPECT_EQ(plan.placements[0].workflow, 1U);
  EXPECT_EQ(plan.placements[0].task, 1U);
}

TEST(CpaAllocation, AChainGrowsUntilTheAreaIsAsLarge) {
  // Two perfectly parallel tasks of 100 s, 4 processors, V < q: the area stays 200 s, so the path
  // 200 s / a falls until path <= 200 / sqrt(2 * 4) = 70.7 s: both on 3 processors.
  const Problem problem = problem_of({TimeSpec::amdahl(100, 0), TimeSpec::amdahl(100, 0)}, true, 4);
  EXPECT_EQ(planning::cpa_allocation(planning::ClusterView(problem), 4),
            (std::vector<Count>{3, 3}));
  // The classic rule goes on to 200 / 4 = 50 s.
  EXPECT_EQ(planning::cpa_allocation(planning::ClusterView(problem), 4, CpaStop::classic),
            (std::vector<Count>{4, 4}));
}

TEST(CpaAllocation, StopsAtTheProcessorsItIsRunFor) {
  const Problem problem = problem_of({TimeSpec::amdahl(100, 0)}, true, 100);
  EXPECT_EQ(planning::cpa_allocation(planning::ClusterView(problem), 7, CpaStop::classic),
            (std::vector<Count>{7}));
}

TEST(CpaAllocation, SequentialTasksGainFromTheRuleAllTheSame) {
  // With alpha = 1 nothing gets faster, but T/p still falls: the printed rule keeps giving until
  // the area has grown as large as the path demands.
  const Problem problem = problem_of({TimeSpec::amdahl(100, 1)}, true, 4);
  EXPECT_EQ(planning::cpa_allocation(planning::ClusterView(problem), 4), (std::vector<Count>{2}));
}

TEST(CpaAllocation, FixedTasksKeepTheirProcessorsAndTablesStep) {
  const Problem problem = problem_of(
      {TimeSpec::fixed(100, 3), TimeSpec::table({{2, 100}, {6, 40}, {12, 30}})}, true, 16);
  const auto allocation =
      planning::cpa_allocation(planning::ClusterView(problem), 16, CpaStop::classic);
  EXPECT_EQ(allocation[0], 3);
  EXPECT_EQ(allocation[1], 12);
}

TEST(EarliestCompletion, TakesFewerProcessorsWhenThatEndsSooner) {
  Calendar calendar(8);
  calendar.reserve({0, 50'000}, 6);
  WorkflowBuilder builder("w");
  builder.add_task({.id = "t", .time = TimeSpec::amdahl(80, 0)});
  const Workflow workflow = std::move(builder).build();
  // Two processors at once: 40 s. Eight later: 50 + 10 s.
  EXPECT_EQ(planning::earliest_completion(calendar, workflow.time(0), 8, 0),
            (planning::Slot{2, 0, 40'000}));
  EXPECT_EQ(planning::earliest_completion(calendar, workflow.time(0), 8, 25'000),
            (planning::Slot{8, 50'000, 60'000}));
  EXPECT_EQ(planning::earliest_completion(calendar, workflow.time(0), 1, 0),
            (planning::Slot{1, 0, 80'000}));
}

TEST(EarliestCompletion, EqualEndsGoToFewerProcessors) {
  const Calendar calendar(100);
  WorkflowBuilder builder("w");
  builder.add_task({.id = "t", .time = TimeSpec::amdahl(0.010, 0)});
  const Workflow workflow = std::move(builder).build();
  // 10 ms on m processors: from ten on it is 1 ms.
  EXPECT_EQ(planning::earliest_completion(calendar, workflow.time(0), 100, 5),
            (planning::Slot{10, 5, 6}));
}

TEST(EarliestCompletion, AnswersNothingWhenTheTaskFitsNowhere) {
  Calendar calendar(8);
  calendar.set_capacity({5000, kForever}, 0);
  WorkflowBuilder builder("w");
  builder.add_task({.id = "t", .time = TimeSpec::amdahl(80, 0.5)});
  const Workflow workflow = std::move(builder).build();
  EXPECT_EQ(planning::earliest_completion(calendar, workflow.time(0), 8, 0), std::nullopt);
}

}  // namespace
}  // namespace dovetail::planning
