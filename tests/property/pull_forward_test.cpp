// Plans pulled forward: valid, never later, and with nothing that waits without a reason.
#include "planners/list/pull_forward.hpp"

#include <gtest/gtest.h>

#include "dovetail/check.hpp"
#include "dovetail/critical.hpp"
#include "dovetail/frontier.hpp"
#include "dovetail/metrics.hpp"
#include "planners/list/tightest.hpp"
#include "planners/search/known_plans.hpp"
#include "support/random_problem.hpp"

namespace dovetail {
namespace {

using testing::random_problem;

void expect_pulled(const Problem& problem, const Plan& late) {
  const Plan early = planning::pull_forward(problem, late);
  ASSERT_EQ(check(problem, early), std::vector<std::string>{});
  ASSERT_EQ(early.placements.size(), late.placements.size());
  for (std::size_t i = 0; i < late.placements.size(); ++i) {
    ASSERT_LE(early.placements[i].start, late.placements[i].start);
    ASSERT_EQ(early.placements[i].procs, late.placements[i].procs);
  }
  ASSERT_EQ(consumed(early), consumed(late));
  ASSERT_FALSE(critical_chain(problem, early).empty());
  ASSERT_EQ(planning::pull_forward(problem, early), early);
}

TEST(PullForward, OnlyMovesTasksEarlier) {
  std::size_t moved = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = random_problem(seed, {.tiny_times = seed % 3 == 0});
    PlanningContext context(problem);
    const Duration shortest = planning::shortest_makespan(context);
    for (const PlannerInfo& planner : planners()) {
      if (planner.goal != Goal::deadline) continue;
      const Plan plan = plan_by(planner, context, problem.now() + 3 * shortest);
      if (!plan.feasible) continue;
      expect_pulled(problem, plan);
      if (HasFatalFailure()) return;
      moved += makespan(planning::pull_forward(problem, plan)) < makespan(plan);
    }
  }
  EXPECT_GT(moved, 1000U);
}

TEST(PullForward, LeavesAnInfeasiblePlanAlone) {
  const Problem problem = random_problem(7);
  const Plan none{.algorithm = "x", .now = problem.now(), .feasible = false};
  EXPECT_EQ(planning::pull_forward(problem, none), none);
}

TEST(EarliestPlan, IsBeatenByNoPlannerAndNoTightestPlan) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = random_problem(seed);
    PlanningContext context(problem);
    const Plan earliest = planning::earliest_plan(context, planning::known_plans(context));
    ASSERT_EQ(check(problem, earliest), std::vector<std::string>{});
    EXPECT_FALSE(earliest.deadline.has_value());
    for (const Plan& plan : plan_all(context)) ASSERT_LE(makespan(earliest), makespan(plan));
    for (const Plan& plan : planning::tightest_plans(context)) {
      ASSERT_LE(makespan(earliest), makespan(plan));
    }
  }
}

TEST(EarliestPlan, OfSeveralWorkflowsKnowsHowEachWouldFareAlone) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::Dice dice(seed);
    const Platform platform = testing::random_platform(dice, {});
    const Count procs = platform.clusters()[0].processors;
    const Problem problem({testing::random_workflow(dice, {}, procs, "a"),
                           testing::random_workflow(dice, {}, procs, "b")},
                          platform);
    PlanningContext context(problem);
    const Plan earliest = planning::earliest_plan(context, planning::known_plans(context));
    ASSERT_TRUE(earliest.feasible);
    ASSERT_EQ(earliest.alone.size(), 2U);
    for (const Duration alone : earliest.alone) EXPECT_GT(alone, 0);
  }
}

TEST(LastWithin, IsTheCheapestThatIsShortEnough) {
  const Problem problem = random_problem(11, {.max_tasks = 30, .max_processors = 64});
  PlanningContext context(problem);
  const auto plans = frontier(context);
  ASSERT_GT(plans.size(), 1U);
  EXPECT_EQ(last_within(plans, makespan(plans[0]) - 1), nullptr);
  EXPECT_EQ(last_within(plans, makespan(plans[1]) - 1), &plans[0]);
  EXPECT_EQ(last_within(plans, makespan(plans[1])), &plans[1]);
  EXPECT_EQ(last_within(plans, kForever), &plans.back());
}

}  // namespace
}  // namespace dovetail
