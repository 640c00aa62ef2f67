// The search for fair plans on random problems with reservations, weights and workflows that become
// ready later: valid, never worse than MAGS in anything, and the same on any number of threads.
#include "planners/fair/fair_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "dovetail/check.hpp"
#include "dovetail/fairness.hpp"
#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"
#include "planners/fair/fair_scale.hpp"
#include "planners/list/one_cluster.hpp"
#include "planners/search/plan_search.hpp"
#include "support/random_problem.hpp"

namespace dovetail {
namespace {

using testing::Dice;
using testing::RandomProblemOptions;

// Every other one with reservations, every other two with weights or ready times.
Problem random_sharing(std::uint64_t seed) {
  Dice dice(seed);
  const RandomProblemOptions options{
      .max_tasks = 2 + static_cast<int>(seed % 12),
      .max_processors = 1 + static_cast<Count>(seed % 40),
      .max_reservations = seed % 2 == 0 ? static_cast<int>(seed % 12) : 0,
      .all_models = seed % 3 != 0,
      .tiny_times = seed % 7 == 0};
  const Platform platform = testing::random_platform(dice, options);
  std::vector<Workflow> workflows;
  const auto count = dice.between(1, 6);
  for (std::int64_t i = 0; i < count; ++i) {
    const Workflow plain = testing::random_workflow(
        dice, options, platform.clusters()[0].processors, "w" + std::to_string(i));
    WorkflowTerms terms;
    if (seed % 4 < 2 && dice.chance(0.7)) terms.weight = dice.real(0.1, 10);
    if (seed % 8 < 4 && dice.chance(0.7)) terms.ready_at = platform.now() + dice.between(0, 90'000);
    workflows.push_back(plain.with_terms(terms));
  }
  return Problem(workflows, platform, Goal::fair);
}

PlannerOptions options_of(std::uint64_t trials, unsigned threads = 1) {
  PlannerOptions options;
  options.search.trials = trials;
  options.search.threads = threads;
  return options;
}

Plan search(const Problem& problem, const PlannerOptions& options) {
  return plan(*find_planner("DOVETAIL_FAIR"), problem, options);
}

std::array<double, 3> metrics(const Problem& problem, const Plan& plan) {
  const Fairness fairness = measure_fairness(problem, plan);
  return {to_seconds(makespan(plan)), fairness.average_stretch, fairness.weighted_stretch};
}

TEST(FairSearch, IsValidAndNeverWorseThanMagsInAnything) {
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Problem problem = random_sharing(seed);
    const Plan mags = plan(*find_planner("MAGS"), problem);
    const Plan found = search(problem, options_of(300));
    ASSERT_TRUE(mags.feasible && found.feasible) << "seed " << seed;
    ASSERT_EQ(check(problem, found), std::vector<std::string>{}) << "seed " << seed;
    ASSERT_EQ(check(problem, make_record(problem, found)), std::vector<std::string>{})
        << "seed " << seed;
    ASSERT_EQ(found.alone, mags.alone) << "seed " << seed;
    ASSERT_FALSE(certified_gap(found).has_value());
    const auto ours = metrics(problem, found);
    const auto known = metrics(problem, mags);
    bool in_all = true;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ASSERT_LE(ours[i], known[i]) << "seed " << seed << " metric " << i;
      in_all = in_all && ours[i] < known[i];
    }
    better += in_all ? 1 : 0;
  }
  EXPECT_GT(better, 200);  // a single workflow or task leaves little to improve
}

TEST(FairSearch, MoreTrialsAreNeverWorseOnTheWhole) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Problem problem = random_sharing(seed);
    PlanningContext context(problem);
    const Plan mags = plan_by(*find_planner("MAGS"), context, std::nullopt);
    const SearchLimits limits;
    const planning::SearchClock clock(limits);
    const planning::OneCluster& cluster = context.shared<planning::OneCluster>();
    const planning::PlanSearch decoders(cluster.view(), cluster.calendar(), cluster.now(), limits,
                                        clock);
    const planning::FairScale scale(problem, mags, decoders.make_decoder());
    const auto value = [&](const Plan& plan) {
      std::vector<planning::Slot> slots;
      for (const Placement& at : plan.placements) slots.push_back({at.procs, at.start, at.end});
      planning::DecodedPlan decoded = planning::measured(std::move(slots), plan.now);
      scale.measure(decoded);
      return decoded.fairness;
    };
    // 0.9 of the greatest share and 0.1 of the mean, as the metrics have it.
    const Plan found = search(problem, options_of(1'000));
    const auto ours = metrics(problem, found);
    const auto known = metrics(problem, mags);
    std::array<double, 3> shares{};
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = ours[i] / known[i];
    const double mean = (shares[0] + shares[1] + shares[2]) / 3;
    const double expected = 0.9 * *std::ranges::max_element(shares) + 0.1 * mean;
    EXPECT_NEAR(static_cast<double>(value(found)) / planning::FairScale::kKnown, expected, 1e-6)
        << "seed " << seed;
    EXPECT_LE(value(found), value(mags)) << "seed " << seed;
    EXPECT_GE(value(found), scale.least()) << "seed " << seed;
    // The first rounds are the same.
    EXPECT_LE(value(search(problem, options_of(7'000))), value(found)) << "seed " << seed;
  }
}

TEST(FairSearch, IsTheSameOnAnyNumberOfThreads) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Problem problem = random_sharing(seed);
    const Plan one = search(problem, options_of(24'000, 1));
    EXPECT_EQ(one, search(problem, options_of(24'000, 2))) << "seed " << seed;
    EXPECT_EQ(one, search(problem, options_of(24'000, 4))) << "seed " << seed;
  }
}

TEST(FairSearch, TakesPlansThatAreKnown) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Problem problem = random_sharing(seed);
    PlanningContext context(problem, options_of(500));
    const auto published = plan_all(context);
    EXPECT_EQ(planning::plan_fair_search(context, std::nullopt, published),
              search(problem, options_of(500)))
        << "seed " << seed;
  }
}

TEST(FairSearch, KeepsToTheCpuTimeItIsGiven) {
  int dearer = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Problem problem = random_sharing(seed);
    const Area known = consumed(plan(*find_planner("MAGS"), problem));
    PlannerOptions options = options_of(500);
    for (const double factor : {0.5, 1.0, 1.1}) {
      options.search.cpu_factor = factor;
      const double most = static_cast<double>(known) * std::max(factor, 1.0);
      EXPECT_LE(static_cast<double>(consumed(search(problem, options))), most) << "seed " << seed;
    }
    options.search.cpu_factor.reset();
    dearer += consumed(search(problem, options)) > known ? 1 : 0;
  }
  EXPECT_GT(dearer, 0);
}

// A deadline that is met anyway changes nothing; one that only an earlier plan than MAGS's meets is
// looked for, and what is late still is the earliest that was found.
TEST(FairSearch, LooksForThePlanInTime) {
  int late_by_itself = 0, in_time = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Problem problem = random_sharing(seed);
    PlanningContext context(problem, options_of(1'000));
    const Plan free = planning::plan_fair_search(context);
    EXPECT_EQ(
        planning::plan_fair_search(context, problem.now() + makespan(free) * 2 + kHour * 1000),
        free);
    PlanningContext other(problem, at_any_cost(options_of(3'000)));
    const Plan earliest = plan_from(other, std::nullopt, {});
    if (makespan(earliest) * 1.05 >= makespan(free)) continue;
    ++late_by_itself;
    const Time deadline = problem.now() + (makespan(earliest) + makespan(free)) / 2;
    const Plan found = planning::plan_fair_search(other, deadline);
    ASSERT_EQ(check(problem, found), std::vector<std::string>{}) << "seed " << seed;
    in_time += problem.now() + makespan(found) <= deadline ? 1 : 0;
    const Plan mags = plan_by(*find_planner("MAGS"), other, std::nullopt);
    EXPECT_LE(makespan(found), makespan(mags)) << "seed " << seed;
  }
  EXPECT_GT(late_by_itself, 20);
  EXPECT_GT(in_time * 10, late_by_itself * 9);
}

// With a time limit of nothing it is the best of the published plans that are not worse than MAGS.
TEST(FairSearch, WithoutTimeIsNoWorseThanMags) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Problem problem = random_sharing(seed);
    PlannerOptions options;
    options.search.seconds = 0;
    const Plan found = search(problem, options);
    EXPECT_TRUE(found.search->is_truncated);
    EXPECT_EQ(found.search->trials, 0U);
    const auto ours = metrics(problem, found);
    const auto known = metrics(problem, plan(*find_planner("MAGS"), problem));
    for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_LE(ours[i], known[i]) << "seed " << seed;
  }
}

TEST(FairSearch, AClusterThatLeavesTooEarlyGivesNoPlan) {
  WorkflowBuilder builder("w");
  builder.add_task({.id = "long", .time = TimeSpec::amdahl(100, 0.5)});
  const Problem problem({std::move(builder).build()},
                        Platform(0, {{.name = "c", .processors = 4, .leaves = 30'000}}),
                        Goal::fair);
  EXPECT_FALSE(search(problem, options_of(100)).feasible);
}

TEST(FairSearch, CenturiesAndMilliseconds) {
  std::vector<Workflow> workflows;
  for (const double seconds : {9.7e9, 1e10, 1e-3}) {
    WorkflowBuilder builder("w" + std::to_string(workflows.size()));
    builder.add_task({.id = "t", .time = TimeSpec::amdahl(seconds, 0.5)});
    builder.add_task({.id = "u", .time = TimeSpec::fixed(seconds, 3)});
    workflows.push_back(std::move(builder).build());
  }
  const Problem problem(workflows, Platform::empty(1'000), Goal::fair);
  const Plan found = search(problem, options_of(2'000));
  ASSERT_TRUE(found.feasible);
  EXPECT_EQ(check(problem, found), std::vector<std::string>{});
}

}  // namespace
}  // namespace dovetail
