// The tightest deadline: against the plain search, and by hand.
#include "planners/list/tightest.hpp"

#include <gtest/gtest.h>

#include <string>

#include "dovetail/check.hpp"
#include "dovetail/metrics.hpp"
#include "oracles/plain_deadline.hpp"
#include "support/random_problem.hpp"

namespace dovetail::planning {
namespace {

using testing::random_problem;
using testing::RandomProblemOptions;

struct Found {
  int at_once = 0;
  int later = 0;
};

void expect_plain_search(const Problem& problem, Found& found) {
  PlanningContext context(problem);
  for (const Plan& plan : planning::tightest_plans(context)) {
    SCOPED_TRACE(plan.algorithm);
    const plain::DeadlinePlanner oracle(problem, plan.algorithm);
    const plain::DeadlinePlan expected = oracle.tightest();
    ASSERT_TRUE(plan.feasible);
    ASSERT_TRUE(expected.feasible());
    ASSERT_EQ(planning::shortest_makespan(context), oracle.critical_path());
    ASSERT_EQ(plan.deadline, expected.deadline);
    for (const Placement& placement : plan.placements) {
      const plain::Slot& slot = expected.slots[placement.task];
      ASSERT_EQ(placement.start, slot.start);
      ASSERT_EQ(placement.procs, slot.procs);
    }
    ASSERT_EQ(check(problem, plan), std::vector<std::string>{});
    const bool at_once = plan.deadline == problem.now() + oracle.critical_path();
    ++(at_once ? found.at_once : found.later);
  }
}

Found compare(std::uint64_t first, std::uint64_t last, const RandomProblemOptions& options) {
  Found found;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_plain_search(random_problem(seed, options), found);
    if (::testing::Test::HasFatalFailure()) break;
  }
  return found;
}

TEST(Tightest, SearchedAsSpecified) {
  const Found found = compare(1, 250, {});
  EXPECT_GT(found.at_once, 20);
  EXPECT_GT(found.later, 500);
}

TEST(Tightest, SearchedAsSpecifiedWhereOneMillisecondIsFivePerCent) {
  const Found found = compare(1001, 1250, {.tiny_times = true});
  EXPECT_GT(found.at_once, 20);
  EXPECT_GT(found.later, 500);
}

TEST(Tightest, SearchedAsSpecifiedOnLargerProblems) {
  const Found found =
      compare(2001, 2006, {.max_tasks = 40, .max_processors = 100, .max_reservations = 40});
  EXPECT_GT(found.later, 20);
}

Workflow one_task(TimeSpec time) {
  WorkflowBuilder builder("w");
  builder.add_task({.id = "only", .time = time});
  return std::move(builder).build();
}

TEST(Tightest, ASingleTaskOnAnEmptyClusterTakesItsShortestTime) {
  const Problem problem({one_task(TimeSpec::amdahl(100, 0.5))}, Platform::empty(4));
  PlanningContext context(problem);
  EXPECT_EQ(planning::shortest_makespan(context), 62'500);
  const Plan plan = planning::tightest_plan(*find_planner("DL_BD_ALL"), context);
  ASSERT_TRUE(plan.feasible);
  EXPECT_EQ(plan.deadline, 62'500);
  EXPECT_EQ(plan.placements[0].procs, 4);
}

TEST(Tightest, TheLastStepIsHalvedDownToOneSecond) {
  // Nothing is free before 100 s, so that no deadline before 162.5 s can be met.
  const Problem problem(
      {one_task(TimeSpec::amdahl(100, 0.5))},
      Platform(0, {{.name = "c", .processors = 4, .reservations = {{0, 100'000, 4}}}}));
  PlanningContext context(problem);
  const Plan plan = planning::tightest_plan(*find_planner("DL_BD_ALL"), context);
  ASSERT_TRUE(plan.feasible);
  EXPECT_GE(*plan.deadline, 162'500);
  EXPECT_LE(*plan.deadline, 163'500);
}

TEST(Tightest, TheCriticalPathIsMetAtOnceWhereNothingIsInTheWay) {
  WorkflowBuilder builder("w");
  for (const char* id : {"a", "b", "c"}) {
    builder.add_task({.id = id, .time = TimeSpec::amdahl(60, 0.1)});
  }
  builder.add_edge(0, 1);
  builder.add_edge(1, 2);
  const Problem problem({std::move(builder).build()}, Platform::empty(8));
  PlanningContext context(problem);
  const Duration shortest = planning::shortest_makespan(context);
  // The bounded ones may not use all processors, so that they cannot meet it.
  for (const char* name : {"DL_BD_ALL", "DL_RC_CPA", "DL_RC_CPAR", "DL_RC_CPAR-lambda"}) {
    const Plan plan = planning::tightest_plan(*find_planner(name), context);
    ASSERT_TRUE(plan.feasible) << name;
    EXPECT_EQ(plan.deadline, shortest) << name;
    EXPECT_EQ(makespan(plan), shortest) << name;
  }
}

TEST(Tightest, AClusterThatLeavesTooEarlyMeetsNone) {
  const Problem problem({one_task(TimeSpec::amdahl(100, 0.5))},
                        Platform(0, {{.name = "c", .processors = 4, .leaves = 30'000}}));
  PlanningContext context(problem);
  const std::vector<Plan> plans = planning::tightest_plans(context);
  EXPECT_EQ(plans.size(), 7U);
  for (const Plan& plan : plans) {
    EXPECT_FALSE(plan.feasible) << plan.algorithm;
    EXPECT_TRUE(plan.placements.empty()) << plan.algorithm;
  }
}

TEST(Tightest, TheDeadlineOfTheProblemIsNotLookedAt) {
  const Workflow workflow = one_task(TimeSpec::amdahl(100, 0.5));
  const Problem free({workflow}, Platform::empty(4));
  const Problem strict({workflow}, Platform::empty(4), Goal::deadline, 10);
  PlanningContext free_context(free);
  PlanningContext strict_context(strict);
  EXPECT_EQ(planning::tightest_plans(free_context), planning::tightest_plans(strict_context));
}

}  // namespace
}  // namespace dovetail::planning
