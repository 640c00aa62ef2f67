#include "planners/ensemble/repartition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "planners/ensemble/ensemble_plan.hpp"
#include "planners/ensemble/month_dispatch.hpp"
#include "planners/ensemble/month_simulation.hpp"
#include "support/ensemble_samples.hpp"

namespace dovetail::planning {

using planning::PerformanceVector;

namespace {

using testing::Dice;
using testing::grillon;
using testing::random_months;

PerformanceVector listed(const std::vector<Duration>& values) {
  return PerformanceVector({[values](Count k) { return values[static_cast<std::size_t>(k - 1)]; },
                            [](Count) { return Duration{0}; }, static_cast<Count>(values.size()),
                            0});
}

std::vector<PerformanceVector> vectors_of(const std::vector<std::vector<Duration>>& values) {
  std::vector<PerformanceVector> vectors;
  for (const auto& value : values) vectors.push_back(listed(value));
  return vectors;
}

std::vector<Count> counts_by(const char* name, const std::vector<std::vector<Duration>>& values,
                             Count scenarios) {
  auto vectors = vectors_of(values);
  return planning::counts_of(planning::find_repartition(name)->make(vectors, scenarios),
                             vectors.size());
}

TEST(Repartition, EachScenarioGoesWhereItEndsEarliest) {
  EXPECT_EQ(counts_by("greedy", {{10, 20, 30, 40}, {15, 25, 35, 45}}, 4),
            (std::vector<Count>{2, 2}));
  EXPECT_EQ(counts_by("greedy", {{10, 10, 10, 40}, {15, 25, 35, 45}}, 4),
            (std::vector<Count>{3, 1}));
}

TEST(Repartition, TheFirstClusterWinsTies) {
  EXPECT_EQ(counts_by("greedy", {{10, 20}, {10, 20}, {10, 20}}, 2), (std::vector<Count>{1, 1, 0}));
}

TEST(Repartition, RoundRobinTakesTurns) {
  EXPECT_EQ(counts_by("round-robin", {{1, 1, 1, 1, 1}, {9, 9, 9, 9, 9}}, 5),
            (std::vector<Count>{3, 2}));
}

TEST(Repartition, ClustersThatCannotRunAnyScenarioGetNone) {
  const Duration never = kForever;
  const std::vector<std::vector<Duration>> values = {{never, never, never}, {5, 6, 7}};
  for (const planning::RepartitionInfo& rule : planning::repartitions()) {
    EXPECT_EQ(counts_by(rule.name.data(), values, 3), (std::vector<Count>{0, 3})) << rule.name;
  }
}

// Every way to give the scenarios to the clusters.
Duration brute_force(std::vector<PerformanceVector>& vectors, std::size_t from, Count scenarios) {
  if (from + 1 == vectors.size()) return scenarios == 0 ? 0 : vectors[from].at(scenarios);
  Duration best = kForever;
  for (Count here = 0; here <= scenarios; ++here) {
    const Duration own = here == 0 ? 0 : vectors[from].at(here);
    best = std::min(best, std::max(own, brute_force(vectors, from + 1, scenarios - here)));
  }
  return best;
}

TEST(Repartition, GreedyAndExactAreOptimalOnVectorsThatNeverFall) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Dice dice(seed);
    const auto scenarios = static_cast<Count>(dice.between(1, 7));
    std::vector<std::vector<Duration>> values(static_cast<std::size_t>(dice.between(1, 4)));
    for (auto& value : values) {
      Duration last = dice.between(1, 20);
      for (Count k = 0; k < scenarios; ++k) value.push_back(last += dice.between(0, 6));
    }
    auto vectors = vectors_of(values);
    const Duration optimum = brute_force(vectors, 0, scenarios);
    for (const char* name : {"greedy", "exact"}) {
      const auto counts = counts_by(name, values, scenarios);
      EXPECT_EQ(planning::repartition_makespan(vectors, counts), optimum)
          << name << " seed " << seed;
    }
  }
}

// Of many scenarios not every number is measured, and every cluster gets as many as in turn.
TEST(Repartition, ManyScenariosAreCountedByBisection) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Dice dice(seed);
    const auto scenarios = static_cast<Count>(dice.between(planning::kMostInTurn + 1, 3'000));
    const auto clusters = static_cast<std::size_t>(dice.between(1, 5));
    std::vector<std::vector<Duration>> values(clusters);
    for (auto& value : values) {
      Duration last = dice.between(1, 200);
      const Duration slowness = dice.between(0, 30);
      for (Count k = 0; k < scenarios; ++k) value.push_back(last += dice.between(0, slowness));
    }
    std::vector<Count> expected(clusters, 0);
    for (Count s = 0; s < scenarios; ++s) {
      std::size_t first = 0;
      const auto next = [&](std::size_t c) {
        const auto at = static_cast<std::size_t>(expected[c]);
        return at < values[c].size() ? values[c][at] : Duration{kForever};
      };
      for (std::size_t c = 1; c < clusters; ++c) {
        if (next(c) < next(first)) first = c;
      }
      ++expected[first];
    }
    EXPECT_EQ(counts_by("greedy", values, scenarios), expected) << "seed " << seed;
  }
}

TEST(Repartition, ManyScenariosTakeFewMeasurements) {
  std::size_t measured = 0;
  std::vector<PerformanceVector> vectors;
  for (Duration slowness = 10; slowness <= 13; ++slowness) {
    const auto measure = [&measured, slowness](Count k) {
      ++measured;
      return slowness * k;
    };
    vectors.push_back(PerformanceVector({measure, [](Count) { return Duration{0}; }, 30'000, 0}));
  }
  const auto counts =
      planning::counts_of(planning::find_repartition("greedy")->make(vectors, 30'000), 4);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), 30'000);
  EXPECT_LT(measured, 400U);
}

TEST(PerformanceVector, ADipIsSmoothedByTheScheduleOfMoreScenarios) {
  PerformanceVector vector = listed({10, 30, 20, 25});
  EXPECT_EQ(vector.at(1), 10);
  EXPECT_EQ(vector.measured(2), 30);
  EXPECT_EQ(vector.at(2), 20);
  EXPECT_EQ(vector.planned_for(2), 3);
  EXPECT_EQ(vector.at(4), 25);
}

TEST(PerformanceVector, ScenariosAtNoCost) {
  EXPECT_EQ(planning::scenarios_at_no_cost(grillon(40)), 3);
  EXPECT_EQ(planning::scenarios_at_no_cost(grillon(110)), 9);
  EXPECT_EQ(planning::scenarios_at_no_cost(grillon(111)), 10);
  EXPECT_EQ(planning::scenarios_at_no_cost(grillon(3)), 0);
}

TEST(PerformanceVector, OneMeasurementServesTheScenariosAtNoCost) {
  int measurements = 0;
  const auto measure = [&](Count) { return ++measurements, Duration{7}; };
  PerformanceVector vector({measure, [](Count) { return Duration{7}; }, 10, 10});
  for (Count k = 1; k <= 10; ++k) EXPECT_EQ(vector.at(k), 7);
  EXPECT_EQ(measurements, 1);
  PerformanceVector months = planning::month_performance(
      grillon(111), *planning::find_grouping("knapsack"), planning::Dispatch::fair);
  for (Count k = 1; k <= 10; ++k) EXPECT_EQ(months.at(k), (180 * 1400 + 100) * kSecond);
}

// The shortcuts (one measurement for many, bounds instead of measurements) change no value.
TEST(PerformanceVector, IsWhatMeasuringEverythingGives) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Dice dice(seed);
    planning::MonthProblem problem = random_months(
        dice, {.most_months = 12, .steep_posts = seed % 2 == 0, .with_gaps = seed % 3 == 0});
    for (const planning::GroupingInfo& heuristic : planning::groupings()) {
      const planning::Dispatch rule = planning::dispatch_rules()[seed % 3].rule;
      PerformanceVector vector = planning::month_performance(problem, heuristic, rule);
      Duration least = kForever;
      for (Count k = problem.scenarios; k >= 1; --k) {
        planning::MonthProblem part = problem;
        part.scenarios = k;
        const Duration own =
            planning::simulate_months(part, heuristic.make(part, rule), rule).makespan;
        least = std::min(least, own);
        EXPECT_EQ(vector.measured(k), own) << heuristic.name << " seed " << seed << " k " << k;
        EXPECT_EQ(vector.at(k), least) << heuristic.name << " seed " << seed << " k " << k;
      }
    }
  }
}

EnsembleSite site_of(std::string name, const planning::MonthProblem& problem) {
  return {.name = std::move(name),
          .processors = problem.processors,
          .times = {.main = problem.sizes, .post = problem.post}};
}

TEST(EnsemblePlan, TheFasterClusterTakesAllThatItCanForNothing) {
  const Ensemble ensemble{
      .scenarios = 10,
      .months = 180,
      .sites = {site_of("slow", testing::azur(111)), site_of("fast", grillon(111))}};
  const planning::EnsemblePlan plan = planning::plan_ensemble(ensemble);
  EXPECT_TRUE(plan.sites[0].scenarios.empty());
  EXPECT_EQ(plan.sites[1].scenarios.size(), 10U);
  EXPECT_EQ(plan.makespan, (180 * 1400 + 100) * kSecond);
  const planning::EnsemblePlan turns =
      planning::plan_ensemble(ensemble, {.repartition = planning::find_repartition("round-robin")});
  EXPECT_EQ(turns.sites[0].scenarios, (std::vector<std::uint32_t>{0, 2, 4, 6, 8}));
  EXPECT_EQ(turns.makespan, (180 * 1440 + 110) * kSecond);
}

TEST(EnsemblePlan, GreedyIsNeverWorseThanRoundRobinAndAsGoodAsTheOptimum) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Dice dice(seed);
    Ensemble ensemble{.scenarios = static_cast<Count>(dice.between(1, 9)),
                      .months = static_cast<Count>(dice.between(1, 10))};
    const auto sites = dice.between(1, 4);
    for (std::int64_t s = 0; s < sites; ++s) {
      ensemble.sites.push_back(site_of("c" + std::to_string(s), random_months(dice)));
    }
    std::vector<Duration> ends;
    for (const planning::RepartitionInfo& rule : planning::repartitions()) {
      ends.push_back(planning::plan_ensemble(ensemble, {.repartition = &rule}).makespan);
    }
    EXPECT_LE(ends[0], ends[1]) << "seed " << seed;
    EXPECT_EQ(ends[0], ends[2]) << "seed " << seed;
  }
}

// The post tasks of the last months of four scenarios do not fit side by side.
TEST(PerformanceVector, SeveralPostTasksOfTheLastMonthsAreCounted) {
  const planning::MonthProblem problem{.scenarios = 4,
                                       .months = 3,
                                       .processors = 30,
                                       .sizes = {{4, 1'000 * kSecond}},
                                       .post = 100 * kSecond,
                                       .posts = 10};
  EXPECT_EQ(planning::scenarios_at_no_cost(problem), 3);
  PerformanceVector vector = planning::month_performance(
      problem, *planning::find_grouping("knapsack"), planning::Dispatch::fair);
  EXPECT_EQ(vector.at(3), 3'100 * kSecond);
  EXPECT_EQ(vector.at(4), 3'200 * kSecond);
}

}  // namespace
}  // namespace dovetail::planning
