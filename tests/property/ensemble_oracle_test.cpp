// Groupings and simulations of ensembles against a plain reading of the specification.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "planners/ensemble/ensemble_plan.hpp"
#include "planners/ensemble/knapsack.hpp"
#include "planners/ensemble/month_dispatch.hpp"
#include "planners/ensemble/month_formula.hpp"
#include "planners/ensemble/month_simulation.hpp"
#include "support/ensemble_samples.hpp"

namespace dovetail {

using planning::MonthProblem;

namespace {

using testing::Dice;
using testing::plain_months;
using testing::random_months;

std::string describe(const MonthProblem& problem) {
  std::string text = std::to_string(problem.scenarios) + " x " + std::to_string(problem.months) +
                     " on " + std::to_string(problem.processors) + ", post " +
                     std::to_string(problem.post) + ":";
  for (const GroupTime& size : problem.sizes) {
    text += " " + std::to_string(size.procs) + "=" + std::to_string(size.time);
  }
  return text;
}

void expect_same(const MonthProblem& problem) {
  const plain::Months months = plain_months(problem);
  for (const planning::DispatchInfo& rule : planning::dispatch_rules()) {
    const std::string name(rule.name);
    for (const planning::GroupingInfo& heuristic : planning::groupings()) {
      const planning::Grouping ours = heuristic.make(problem, rule.rule);
      const auto expected = plain::grouping(months, std::string(heuristic.name), name);
      ASSERT_EQ(ours.groups, expected) << heuristic.name << " " << name;
      ASSERT_EQ(ours.post_processors, problem.processors - ours.grouped());
      ASSERT_EQ(planning::simulate_months(problem, ours, rule.rule).makespan,
                plain::simulate(months, expected, name))
          << heuristic.name << " " << name;
    }
  }
  const planning::Grouping basic = planning::basic_grouping(problem);
  ASSERT_EQ(planning::formula_makespan(problem, basic),
            plain::formula(months, basic.groups.front()));
}

void expect_same_on(std::uint64_t from, std::uint64_t to, const testing::RandomMonths& options) {
  for (std::uint64_t seed = from; seed <= to; ++seed) {
    Dice dice(seed);
    const MonthProblem problem = random_months(dice, options);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(problem));
    expect_same(problem);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(EnsembleOracle, ShortChains) { expect_same_on(1, 1500, {.most_months = 8}); }

TEST(EnsembleOracle, LongChainsOnUnequalGroups) {
  expect_same_on(10'001, 10'400, {.most_scenarios = 6, .most_months = 120});
}

TEST(EnsembleOracle, PostTasksAsLongAsMonths) {
  expect_same_on(20'001, 21'000, {.most_months = 12, .steep_posts = true});
}

TEST(EnsembleOracle, SizesWithGaps) { expect_same_on(30'001, 31'000, {.with_gaps = true}); }

// Scenarios per cluster and the end, for every heuristic and rule.
void expect_same_repartition(const std::vector<MonthProblem>& grid, Count scenarios, Count months) {
  Ensemble ensemble{.scenarios = scenarios, .months = months};
  for (const MonthProblem& problem : grid) {
    ensemble.sites.push_back({.name = "c" + std::to_string(ensemble.sites.size()),
                              .processors = problem.processors,
                              .times = {.main = problem.sizes, .post = problem.post}});
  }
  for (const planning::GroupingInfo& heuristic : planning::groupings()) {
    for (const planning::DispatchInfo& rule : planning::dispatch_rules()) {
      std::vector<std::vector<plain::Whole>> vectors;
      for (const MonthProblem& problem : grid) {
        plain::Months there = plain_months(problem);
        there.scenarios = scenarios;
        there.months = months;
        vectors.push_back(
            plain::performance(there, std::string(heuristic.name), std::string(rule.name)));
      }
      const std::vector<int> expected = plain::greedy(vectors, scenarios);
      const planning::EnsemblePlan ours =
          planning::plan_ensemble(ensemble, {.heuristic = &heuristic, .dispatch = rule.rule});
      plain::Whole end = 0;
      for (std::size_t c = 0; c < grid.size(); ++c) {
        ASSERT_EQ(static_cast<int>(ours.sites[c].scenarios.size()), expected[c])
            << heuristic.name << " " << rule.name << " cluster " << c;
        if (expected[c] == 0) continue;
        const plain::Whole there = vectors[c][static_cast<std::size_t>(expected[c] - 1)];
        ASSERT_EQ(ours.sites[c].makespan, there) << heuristic.name << " " << rule.name;
        end = std::max(end, there);
      }
      ASSERT_EQ(ours.makespan, end);
    }
  }
}

TEST(EnsembleOracle, RepartitionsOverClusters) {
  for (std::uint64_t seed = 70'001; seed <= 70'300; ++seed) {
    Dice dice(seed);
    std::vector<MonthProblem> grid;
    const auto clusters = dice.between(2, 4);
    for (std::int64_t c = 0; c < clusters; ++c) {
      grid.push_back(random_months(dice, {.steep_posts = seed % 3 == 0}));
    }
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_same_repartition(grid, static_cast<Count>(dice.between(1, 9)),
                            static_cast<Count>(dice.between(1, 12)));
    if (HasFatalFailure()) return;
  }
}

TEST(EnsembleOracle, TheReferenceCluster) {
  for (Count processors = 11; processors <= 121; processors += 5) {
    SCOPED_TRACE(processors);
    expect_same(testing::grillon(processors, 10, 40));
  }
}

// Every list of sizes that fits, and the best of them by fractions that are compared exactly.
std::vector<Count> brute_force(const MonthProblem& problem) {
  __extension__ typedef __int128 Exact;
  Exact multiple = 1;
  for (const GroupTime& size : problem.sizes) multiple *= size.time;
  std::vector<Count> list;
  std::vector<Count> best;
  Exact best_value = -1;
  Count best_used = 0;
  const std::function<void(std::size_t, Exact, Count)> extend = [&](std::size_t from, Exact value,
                                                                    Count used) {
    const bool wins = value != best_value ? value > best_value
                      : used != best_used ? used < best_used
                                          : list > best;
    if (wins) {
      best = list;
      best_value = value;
      best_used = used;
    }
    if (static_cast<Count>(list.size()) == problem.scenarios) return;
    for (std::size_t s = from; s < problem.sizes.size(); ++s) {
      const GroupTime& size = problem.sizes[problem.sizes.size() - 1 - s];
      if (used + size.procs > problem.processors) continue;
      list.push_back(size.procs);
      extend(s, value + multiple / size.time, used + size.procs);
      list.pop_back();
    }
  };
  extend(0, 0, 0);
  return best;
}

TEST(EnsembleOracle, KnapsackIsTheBestOfAllLists) {
  for (std::uint64_t seed = 40'001; seed <= 43'000; ++seed) {
    Dice dice(seed);
    const MonthProblem problem = random_months(
        dice, {.most_scenarios = 5, .most_processors = 44, .with_gaps = seed % 2 == 0});
    ASSERT_EQ(planning::knapsack_grouping(problem).groups, brute_force(problem))
        << "seed " << seed << ": " << describe(problem);
  }
}

// Sums of rates that doubles do not tell apart: by them, 3 + 3 would be as fast as 4 + 2 or faster.
TEST(EnsembleOracle, KnapsackComparesExactly) {
  const std::vector<GroupTime> sizes = {
      {2, 3'000'000'000'062}, {3, 1'999'999'999'964}, {4, 1'499'999'999'944}};
  EXPECT_EQ(planning::Knapsack(sizes, 6, 2).groups(2), (std::vector<Count>{4, 2}));
}

TEST(EnsembleOracle, SimulationIsNeverLaterThanTheFormulaForEqualGroups) {
  for (std::uint64_t seed = 50'001; seed <= 53'000; ++seed) {
    Dice dice(seed);
    const MonthProblem problem = random_months(dice, {.steep_posts = seed % 2 == 0});
    for (const GroupTime& size : problem.sizes) {
      if (size.procs > problem.processors) break;
      const Count most = std::min(problem.scenarios, problem.processors / size.procs);
      const planning::Grouping equal = planning::with_rest(
          problem, std::vector<Count>(static_cast<std::size_t>(most), size.procs));
      const planning::MonthResult result =
          planning::simulate_months(problem, equal, planning::Dispatch::fair);
      const std::int64_t waves = (problem.all_months() + most - 1) / most;
      EXPECT_EQ(result.main_end, waves * size.time) << "seed " << seed;
      EXPECT_LE(result.makespan, planning::formula_makespan(problem, equal)) << "seed " << seed;
    }
  }
}

TEST(EnsembleOracle, BestIsNeverLongerThanTheOthers) {
  for (std::uint64_t seed = 60'001; seed <= 61'000; ++seed) {
    Dice dice(seed);
    const MonthProblem problem = random_months(dice);
    for (const planning::DispatchInfo& rule : planning::dispatch_rules()) {
      const Duration best =
          planning::simulate_months(problem, planning::best_grouping(problem, rule.rule), rule.rule)
              .makespan;
      for (const planning::GroupingInfo& heuristic : planning::groupings()) {
        const planning::Grouping grouping = heuristic.make(problem, rule.rule);
        EXPECT_LE(best, planning::simulate_months(problem, grouping, rule.rule).makespan)
            << "seed " << seed << " " << heuristic.name;
      }
    }
  }
}

}  // namespace
}  // namespace dovetail
