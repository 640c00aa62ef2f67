// The planners against a plain reading of the specification, task by task.
#include <gtest/gtest.h>

#include <string>

#include "dovetail/planner.hpp"
#include "oracles/plain_turnaround.hpp"
#include "planners/list/allocate.hpp"
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
    const planning::ClusterView view(problem);
    for (const Count procs : {view.processors(), std::max(1, view.processors() / 3)}) {
      EXPECT_EQ(planning::cpa_allocation(view, procs, CpaStop::improved),
                plain::Planner(problem).cpa(procs))
          << "seed " << seed;
      EXPECT_EQ(planning::cpa_allocation(view, procs, CpaStop::classic),
                plain::Planner(problem, true).cpa(procs))
          << "seed " << seed;
    }
  }
}

// Chains, and chains with a short way around some of their tasks: paths that stay the same for
// many steps, and then change.
Workflow near_chain(testing::Dice& dice, double detours) {
  WorkflowBuilder builder("w");
  const auto tasks = static_cast<TaskId>(dice.between(5, 150));
  for (TaskId task = 0; task < tasks; ++task) {
    const double seconds = static_cast<double>(dice.between(1, 60'000)) / 1000;
    builder.add_task(
        {.id = "t" + std::to_string(task), .time = TimeSpec::amdahl(seconds, dice.real(0, 0.3))});
    if (task == 0) continue;
    const bool detour = task > 1 && dice.chance(detours);
    builder.add_edge(task - (detour ? 2 : 1), task);
  }
  return std::move(builder).build();
}

TEST(CpaAllocation, LongPathsThatStayTheSameForManySteps) {
  for (std::uint64_t seed = 50'001; seed <= 50'120; ++seed) {
    testing::Dice dice(seed);
    const double detours = static_cast<double>(seed % 3) * 0.1;
    const Problem problem({near_chain(dice, detours)}, Platform::empty(64));
    const planning::ClusterView view(problem);
    for (const CpaStop stop : {CpaStop::improved, CpaStop::classic}) {
      ASSERT_EQ(planning::cpa_allocation(view, 64, stop),
                plain::Planner(problem, stop == CpaStop::classic).cpa(64))
          << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace dovetail
