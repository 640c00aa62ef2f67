// The planners for several workflows against a plain reading of the specification, task by task.
#include <gtest/gtest.h>

#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"
#include "gen/kernel_graphs.hpp"
#include "oracles/plain_fair.hpp"
#include "support/random_problem.hpp"

namespace dovetail {
namespace {

using testing::Dice;

constexpr const char* kNames[] = {"SELFISH", "SELFISH_ORDER", "CRA_WORK_WEIGHT", "CAFM_K_SHELVES",
                                  "MAGS"};

void expect_same_plans(const Problem& problem, std::uint64_t seed) {
  plain::FairPlanner oracle(problem);
  PlanningContext context(problem);
  for (const char* name : kNames) {
    const Plan ours = plan_by(*find_planner(name), context, std::nullopt);
    const auto expected = oracle.plan(name);
    ASSERT_TRUE(ours.feasible) << name << " seed " << seed;
    ASSERT_EQ(ours.alone, oracle.alone()) << name << " seed " << seed;
    for (const Placement& placement : ours.placements) {
      const plain::Slot& slot = expected[placement.workflow][placement.task];
      ASSERT_EQ(placement.start, slot.start) << name << " seed " << seed;
      ASSERT_EQ(placement.end, slot.end) << name << " seed " << seed;
      ASSERT_EQ(placement.procs, slot.procs) << name << " seed " << seed;
    }
    if (!ours.division) continue;
    const auto slack = oracle.slack();
    ASSERT_EQ(ours.division->slack,
              static_cast<double>(slack.above) / static_cast<double>(slack.below))
        << "seed " << seed;
  }
}

// At most as many workflows as processors, or no slack may suffice.
Problem several_workflows(std::uint64_t seed, const testing::RandomProblemOptions& options) {
  Dice dice(seed);
  const auto procs = static_cast<Count>(dice.between(2, options.max_processors));
  const auto count = dice.between(1, std::min<Count>(procs, 6));
  std::vector<Workflow> workflows;
  for (std::int64_t i = 0; i < count; ++i) {
    workflows.push_back(testing::random_workflow(dice, options, procs, "w" + std::to_string(i)));
  }
  return Problem(workflows, Platform::empty(procs), Goal::fair);
}

TEST(FairOracle, SmallWorkflowsAsSpecified) {
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    expect_same_plans(several_workflows(seed, {.max_processors = 12, .all_models = false}), seed);
    if (HasFatalFailure()) return;
  }
}

TEST(FairOracle, TiesOfMillisecondTasks) {
  for (std::uint64_t seed = 10'001; seed <= 12'000; ++seed) {
    expect_same_plans(
        several_workflows(
            seed, {.max_tasks = 8, .max_processors = 10, .all_models = false, .tiny_times = true}),
        seed);
    if (HasFatalFailure()) return;
  }
}

// The same workflow several times: all dedicated makespans are equal.
TEST(FairOracle, WorkflowsThatAreAlike) {
  for (std::uint64_t seed = 20'001; seed <= 20'500; ++seed) {
    std::vector<Workflow> workflows;
    const auto procs = static_cast<Count>(3 + seed % 12);
    for (std::uint64_t i = 0; i < 2 + seed % 2; ++i) {
      Dice dice(seed);
      workflows.push_back(testing::random_workflow(dice, {.max_tasks = 10, .all_models = false},
                                                   procs, "w" + std::to_string(i)));
    }
    expect_same_plans(Problem(workflows, Platform::empty(procs), Goal::fair), seed);
    if (HasFatalFailure()) return;
  }
}

// Sets as the study draws them.
Problem kernel_set(gen::KernelClass kernels, std::size_t count, Count procs, std::uint64_t seed) {
  Random random(seed);
  std::vector<Workflow> workflows;
  for (std::size_t i = 0; i < count; ++i) {
    workflows.push_back(gen::kernel_graph(kernels, random.below(gen::population(kernels)), 1,
                                          "w" + std::to_string(i)));
  }
  return Problem(workflows, Platform(0, {{.name = "c", .processors = procs, .speed = 3.379}}),
                 Goal::fair);
}

class FairOracleOnKernels : public ::testing::TestWithParam<gen::KernelClass> {};

TEST_P(FairOracleOnKernels, SetsOfTheStudyAsSpecified) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Count procs = seed % 3 == 0 ? 47 : 20;
    expect_same_plans(kernel_set(GetParam(), 2 + seed % 7, procs, seed), seed);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Classes, FairOracleOnKernels, ::testing::ValuesIn(gen::kKernelClasses),
                         [](const auto& test) { return std::string(gen::to_string(test.param)); });

}  // namespace
}  // namespace dovetail
