// Every planner that serves deadlines, on thousands of random problems with one: what it answers is
// valid and in time, or nothing.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dovetail/check.hpp"
#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"
#include "support/random_problem.hpp"

namespace dovetail {
namespace {

using testing::Dice;
using testing::RandomProblemOptions;

RandomProblemOptions varied(std::uint64_t seed) {
  return {.max_tasks = 2 + static_cast<int>(seed % 20),
          .max_processors = 1 + static_cast<Count>(seed % 50),
          .max_reservations = static_cast<int>(seed % 25),
          .all_models = seed % 3 != 0,
          .tiny_times = seed % 7 == 0};
}

// The same cluster, which is there for a while only, and without the reservations outside of it.
Platform leaving(const Platform& platform, Dice& dice) {
  Cluster cluster = platform.clusters()[0];
  cluster.joins = platform.now() + dice.between(-1000, 20'000);
  cluster.leaves = cluster.joins + dice.between(1'001, 500'000);
  std::erase_if(cluster.reservations, [&](const Reservation& reservation) {
    return reservation.start < cluster.joins || reservation.end > cluster.leaves;
  });
  return Platform(platform.now(), {cluster});
}

// Time enough, too little, or about right: a share of what a fast plan takes.
Time random_deadline(const Problem& problem, Dice& dice) {
  const Plan fast = plan(*find_planner("BL_CPAR_BD_CPAR"), problem);
  const auto length = static_cast<double>(fast.feasible ? makespan(fast) : 100'000);
  return problem.now() + static_cast<Time>(length * dice.real(dice.chance(0.1) ? -1 : 0.7, 3));
}

Problem random_deadline_problem(std::uint64_t seed) {
  Dice dice(seed);
  const RandomProblemOptions options = varied(seed);
  Platform platform = testing::random_platform(dice, options);
  if (seed % 6 == 1) platform = leaving(platform, dice);
  std::vector<Workflow> workflows;
  for (std::uint64_t i = 0; i < (seed % 4 == 0 ? 3 : 1); ++i) {
    workflows.push_back(testing::random_workflow(dice, options, platform.clusters()[0].processors,
                                                 "w" + std::to_string(i)));
  }
  const Time deadline = random_deadline(Problem(workflows, platform), dice);
  return Problem(workflows, platform, Goal::deadline, deadline);
}

void expect_in_time(const Problem& problem, const Plan& plan) {
  for (const Placement& placement : plan.placements) {
    ASSERT_LE(placement.end, *problem.deadline());
    ASSERT_GE(placement.start, problem.now());
  }
  ASSERT_EQ(check(problem, plan), std::vector<std::string>{});
}

struct Tally {
  int met = 0;
  int missed = 0;
};

void expect_valid(const Problem& problem, Tally& tally) {
  for (const Plan& plan : plan_all(problem)) {
    SCOPED_TRACE(plan.algorithm);
    ASSERT_EQ(plan.deadline, problem.deadline());
    ASSERT_EQ(plan.now, problem.now());
    ++(plan.feasible ? tally.met : tally.missed);
    if (plan.feasible) {
      ASSERT_EQ(plan.placements.size(), problem.task_count());
      expect_in_time(problem, plan);
    } else {
      ASSERT_TRUE(plan.placements.empty());
      ASSERT_FALSE(plan.lambda.has_value());
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(DeadlineValid, EveryPlanOfEveryPlannerIsValidAndInTime) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_valid(random_deadline_problem(seed), tally);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.met, 20'000);
  EXPECT_GT(tally.missed, 20'000);
}

TEST(DeadlineValid, SevenPlannersAreMadeForDeadlinesAndTheOthersServeThem) {
  int made_for_it = 0;
  for (const PlannerInfo& planner : planners()) made_for_it += planner.goal == Goal::deadline;
  EXPECT_EQ(made_for_it, 7);
  const Problem problem = random_deadline_problem(1);
  for (const PlannerInfo* planner : fitting_planners(problem)) {
    EXPECT_TRUE(serves(*planner, Goal::deadline)) << planner->name;
  }
  EXPECT_GT(fitting_planners(problem).size(), 7U);
}

// A turn-around planner takes no notice of the deadline: its plan is the same, or none.
TEST(DeadlineValid, TurnAroundPlansAreKeptWhenTheyEndInTime) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Problem problem = random_deadline_problem(seed);
    PlanningContext context(problem);
    for (const PlannerInfo* row : planners_for(Goal::turnaround, problem)) {
      const PlannerInfo& planner = *row;
      const Plan free = plan_by(planner, context, std::nullopt);
      const Plan bound = plan_by(planner, context, problem.deadline());
      const bool in_time = free.feasible && free.now + makespan(free) <= *problem.deadline();
      ASSERT_EQ(bound.feasible, in_time) << planner.name << " seed " << seed;
      ++(in_time ? tally.met : tally.missed);
      if (in_time) {
        ASSERT_EQ(bound.placements, free.placements) << planner.name << " seed " << seed;
      }
    }
  }
  EXPECT_GT(tally.met, 500);
  EXPECT_GT(tally.missed, 500);
}

TEST(DeadlineValid, SharedResultsGiveTheSamePlansAsEachPlannerAlone) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Problem problem = random_deadline_problem(seed);
    for (const Plan& together : plan_all(problem)) {
      ASSERT_EQ(plan(*find_planner(together.algorithm), problem), together) << "seed " << seed;
    }
  }
}

TEST(DeadlineValid, DeadlinesInAnyOrderGiveTheSamePlansFromOneContext) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Problem problem = random_deadline_problem(seed);
    PlanningContext shared(problem);
    Dice dice(seed);
    for (int i = 0; i < 10; ++i) {
      const Time deadline = problem.now() + dice.between(0, 400'000);
      for (const PlannerInfo* planner : fitting_planners(problem)) {
        if (planner->goal != Goal::deadline) continue;
        PlanningContext own(problem);
        ASSERT_EQ(plan_by(*planner, shared, deadline), plan_by(*planner, own, deadline))
            << planner->name << " seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace dovetail
