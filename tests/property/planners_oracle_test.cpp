// The planners against a plain reading of the specification, task by task.
#include <gtest/gtest.h>

#include <string>

#include "../../bench/plain_turnaround.hpp"
#include "dovetail/planner.hpp"
#include "planners/allocate.hpp"
#include "support/random_problem.hpp"

namespace dovetail {
namespace {

using testing::random_problem;
using testing::RandomProblemOptions;

void expect_same_plans(const Problem& problem, std::uint64_t seed) {
  const plain::Planner oracle(problem);
  for (const char* level : {"1", "ALL", "CPA", "CPAR"}) {
    for (const char* bound : {"ALL", "HALF", "CPA", "CPAR"}) {
      const std::string name = std::string("BL_") + level + "_BD_" + bound;
      const Plan ours = plan(*find_planner(name), problem);
      const auto expected = oracle.plan(level, bound);
      ASSERT_TRUE(ours.feasible) << name << " seed " << seed;
      for (const Placement& placement : ours.placements) {
        const plain::Slot& slot = expected[placement.task];
        ASSERT_EQ(placement.start, slot.start) << name << " seed " << seed << " " << placement.task;
        ASSERT_EQ(placement.end, slot.end) << name << " seed " << seed << " " << placement.task;
        ASSERT_EQ(placement.procs, slot.procs) << name << " seed " << seed << " " << placement.task;
      }
    }
  }
}

TEST(PlannersOracle, MoldableTasksAsSpecified) {
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    expect_same_plans(random_problem(seed, {.all_models = false}), seed);
    if (HasFatalFailure()) return;
  }
}

TEST(PlannersOracle, FixedAndMeasuredTasksToo) {
  for (std::uint64_t seed = 10'001; seed <= 11'000; ++seed) {
    expect_same_plans(random_problem(seed), seed);
    if (HasFatalFailure()) return;
  }
}

TEST(PlannersOracle, TiesOfMillisecondTasks) {
  for (std::uint64_t seed = 20'001; seed <= 21'000; ++seed) {
    expect_same_plans(random_problem(seed, {.max_processors = 40, .tiny_times = true}), seed);
    if (HasFatalFailure()) return;
  }
}

TEST(PlannersOracle, LargerProblems) {
  const RandomProblemOptions large{.max_tasks = 60, .max_processors = 300, .max_reservations = 60};
  for (std::uint64_t seed = 30'001; seed <= 30'030; ++seed) {
    expect_same_plans(random_problem(seed, large), seed);
    if (HasFatalFailure()) return;
  }
}

TEST(CpaAllocation, BothStopRulesAsSpecified) {
  for (std::uint64_t seed = 40'001; seed <= 40'800; ++seed) {
    const Problem problem = random_problem(seed, {.max_tasks = 20, .max_processors = 60});
    const ClusterView view(problem);
    for (const Count procs : {view.processors(), std::max(1, view.processors() / 3)}) {
      EXPECT_EQ(cpa_allocation(view, procs, CpaStop::improved), plain::Planner(problem).cpa(procs))
          << "seed " << seed;
      EXPECT_EQ(cpa_allocation(view, procs, CpaStop::classic),
                plain::Planner(problem, true).cpa(procs))
          << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace dovetail
