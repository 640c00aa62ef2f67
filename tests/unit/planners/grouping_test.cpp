#include "planners/ensemble/grouping.hpp"

#include <gtest/gtest.h>

#include "planners/ensemble/month_formula.hpp"
#include "planners/ensemble/month_simulation.hpp"
#include "support/ensemble_samples.hpp"

namespace dovetail::planning {
namespace {

using testing::azur;
using testing::grillon;
using Sizes = std::vector<Count>;

planning::Grouping by(const char* name, const planning::MonthProblem& problem,
                      planning::Dispatch rule = planning::Dispatch::fair) {
  return planning::find_grouping(name)->make(problem, rule);
}

Duration simulated(const char* name, const planning::MonthProblem& problem,
                   planning::Dispatch rule = planning::Dispatch::fair) {
  return planning::simulate_months(problem, by(name, problem, rule), rule).makespan;
}

TEST(Grouping, OneProcessorIsEnoughForThePostTasksOfSevenGroups) {
  for (const Count months : {180, 1800}) {
    const planning::MonthProblem problem = grillon(53, 10, months);
    EXPECT_EQ(by("basic", problem).groups, Sizes(7, 7));
    EXPECT_EQ(by("imp1", problem).groups, (Sizes{8, 8, 8, 7, 7, 7, 7}));
    EXPECT_EQ(by("imp1", problem).post_processors, 1);
    EXPECT_EQ(by("imp2", problem).groups, (Sizes{8, 8, 8, 8, 7, 7, 7}));
  }
}

TEST(Grouping, ShortChainsPreferAnotherSize) {
  EXPECT_EQ(by("basic", grillon(53, 10, 12)).groups, Sizes(5, 10));
}

TEST(Grouping, ASpeedCurveWithAKinkMakesUnequalGroups) {
  EXPECT_EQ(by("knapsack", grillon(16)).groups, (Sizes{9, 7}));
}

TEST(Grouping, EveryHeuristicIsSaturatedFrom111On) {
  for (const Count processors : {111, 112, 120, 300}) {
    for (const planning::GroupingInfo& heuristic : planning::groupings()) {
      const planning::MonthProblem problem = grillon(processors);
      EXPECT_EQ(by(heuristic.name.data(), problem).groups, Sizes(10, 11)) << heuristic.name;
      EXPECT_EQ(simulated(heuristic.name.data(), problem), (180 * 1400 + 100) * kSecond);
    }
  }
  EXPECT_GT(simulated("best", grillon(110)), (180 * 1400 + 100) * kSecond);
}

TEST(Grouping, ThreeScenariosCostNoMoreThanOneOn40Processors) {
  for (const Count scenarios : {1, 2, 3}) {
    EXPECT_EQ(simulated("knapsack", grillon(40, scenarios)), (180 * 1400 + 100) * kSecond);
  }
  EXPECT_GT(simulated("best", grillon(40, 4)), (180 * 1400 + 100) * kSecond);
}

TEST(Grouping, FourteenthFigureOnAzur) {
  const std::vector<Duration> expected = {373'110, 334'530, 332'110, 332'110};
  for (Count i = 0; i < 4; ++i) {
    EXPECT_EQ(simulated("basic", azur(26 + i, 10, 60)),
              expected[static_cast<std::size_t>(i)] * kSecond);
  }
}

EnsembleSite grillon_site(Count cores_per_node) {
  return {.name = "grillon",
          .processors = 121,
          .cores_per_node = cores_per_node,
          .times = {.main = grillon(1).sizes, .post = 100 * kSecond}};
}

Sizes sizes_of(const EnsembleSite& site, const EnsembleRules& rules) {
  Sizes sizes;
  for (const GroupTime& size : group_sizes(site, rules)) sizes.push_back(size.procs);
  return sizes;
}

TEST(Grouping, WholeNodesAllowFewerSizes) {
  EXPECT_EQ(sizes_of(grillon_site(2), {.node_multiples = true}), (Sizes{4, 6, 8, 10}));
  EXPECT_EQ(sizes_of(grillon_site(4), {.node_multiples = true}), (Sizes{4, 8}));
  const EnsembleRules with_12{.node_multiples = true, .extra_size = 12};
  EXPECT_EQ(sizes_of(grillon_site(2), with_12), (Sizes{4, 6, 8, 10, 12}));
  EXPECT_EQ(sizes_of(grillon_site(4), with_12), (Sizes{4, 8, 12}));
}

TEST(Grouping, TenGroupsOfTwelveNeed121Processors) {
  for (const Count cores : {2, 4}) {
    EnsembleSite site = grillon_site(cores);
    const EnsembleRules rules{.node_multiples = true, .extra_size = 12};
    const planning::MonthProblem problem = planning::month_problem(site, rules, 10, 180);
    EXPECT_EQ(by("knapsack", problem).groups, Sizes(10, 12));
    EXPECT_EQ(simulated("knapsack", problem), (180 * 1400 + 100) * kSecond);
    site.processors = 120;
    EXPECT_GT(simulated("best", planning::month_problem(site, rules, 10, 180)),
              (180 * 1400 + 100) * kSecond);
  }
}

TEST(Grouping, WholeNodesGrowByWholeNodes) {
  EnsembleSite site = grillon_site(2);
  site.processors = 53;
  const planning::MonthProblem problem =
      planning::month_problem(site, {.node_multiples = true}, 10, 180);
  const planning::Grouping grouping = by("imp2", problem);
  for (const Count procs : grouping.groups) EXPECT_EQ(procs % 2, 0);
  EXPECT_EQ(grouping.grouped() + grouping.post_processors, 53);
}

TEST(Grouping, AReservedNodeTakesNoPartInGroups) {
  EnsembleSite site = grillon_site(4);
  site.processors = 57;
  const planning::MonthProblem problem =
      planning::month_problem(site, {.post_node = true}, 10, 180);
  for (const planning::GroupingInfo& heuristic : planning::groupings()) {
    const planning::Grouping grouping = by(heuristic.name.data(), problem);
    EXPECT_LE(grouping.grouped(), 53) << heuristic.name;
    EXPECT_GE(grouping.post_processors, 4) << heuristic.name;
  }
  EXPECT_EQ(by("imp1", problem).groups, (Sizes{8, 8, 8, 7, 7, 7, 7}));
}

TEST(Grouping, PostTasksLongerThanMonthsLeaveImprovement1NothingToGive) {
  planning::MonthProblem problem = grillon(53);
  problem.post = 3000 * kSecond;
  EXPECT_EQ(by("imp1", problem), by("basic", problem));
}

TEST(Grouping, WithoutPostTasksAllProcessorsMayGoToGroups) {
  planning::MonthProblem problem = grillon(53);
  problem.post = 0;
  EXPECT_EQ(by("imp1", problem), by("imp2", problem));
  const planning::Grouping basic = by("basic", problem);
  EXPECT_EQ(planning::formula_makespan(problem, basic), simulated("basic", problem));
}

TEST(Grouping, AShortenedProblemIsSmallAndItsGroupsServeForTheWhole) {
  const planning::MonthProblem usual = grillon(53);
  const planning::MonthProblem same = planning::shortened(usual, 20'000);
  EXPECT_EQ(same.all_months(), usual.all_months());
  for (const Count processors : {11, 53, 120}) {
    planning::MonthProblem whole = grillon(processors);
    for (const auto& [scenarios, months] :
         {std::pair{10, 20'000}, std::pair{1'000, 100}, std::pair{100, 400}}) {
      whole.scenarios = scenarios;
      whole.months = months;
      const planning::MonthProblem part = planning::shortened(whole, 5'000);
      EXPECT_LE(part.all_months(), 5'000) << scenarios;
      const Duration best = simulated("best", whole, planning::Dispatch::rotate);
      const planning::Grouping chosen = by("best", part, planning::Dispatch::rotate);
      const Duration found =
          planning::simulate_months(whole, chosen, planning::Dispatch::rotate).makespan;
      EXPECT_LE(static_cast<double>(found), 1.02 * static_cast<double>(best))
          << scenarios << " x " << months << " on " << processors;
    }
  }
  planning::MonthProblem huge = grillon(120);
  huge.scenarios = 10'000;
  huge.months = 1'000'000;
  EXPECT_LE(planning::shortened(huge, 20'000).all_months(), 20'000);
}

TEST(Grouping, UnknownNamesAreNotFound) {
  EXPECT_EQ(planning::find_grouping("greedy"), nullptr);
  EXPECT_EQ(planning::find_grouping("best")->name, "best");
}

}  // namespace
}  // namespace dovetail::planning
