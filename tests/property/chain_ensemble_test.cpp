// Ensembles of repeated workflows on calendars: every plan passes the checker.
#include "planners/ensemble/chain_ensemble.hpp"

#include <gtest/gtest.h>

#include "dovetail/check.hpp"
#include "dovetail/metrics.hpp"
#include "planners/ensemble/month_dispatch.hpp"
#include "planners/ensemble/month_simulation.hpp"
#include "support/ensemble_samples.hpp"

namespace dovetail {

using planning::ChainEnsemble;
using planning::plan_chain_ensemble;

namespace {

using testing::Dice;
using testing::random_months;

const std::vector<std::string> kNoViolations = {};

ChainEnsemble on_empty_cluster(const planning::MonthProblem& problem) {
  return {.platform = Platform::empty(problem.processors),
          .units = {planning::month_unit(problem.sizes, problem.post, problem.posts)},
          .windows = {{}},
          .scenarios = problem.scenarios,
          .months = problem.months};
}

// Times that fall strictly: a table leaves out sizes that are no faster than smaller ones.
planning::MonthProblem strict_months(Dice& dice, Count most_scenarios, Count most_months) {
  planning::MonthProblem problem =
      random_months(dice, {.most_scenarios = most_scenarios, .most_months = most_months});
  auto& sizes = problem.sizes;
  for (std::size_t i = 1; i < sizes.size();) {
    if (sizes[i].time < sizes[i - 1].time) {
      ++i;
    } else {
      sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return problem;
}

// On an empty cluster groups do what the simulation says; off-chain tasks may fill more holes.
TEST(ChainEnsemble, IsTheSimulationWhereNothingIsReserved) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    const planning::MonthProblem problem = strict_months(dice, 6, 10);
    const ChainEnsemble ensemble = on_empty_cluster(problem);
    for (const planning::GroupingInfo& heuristic : planning::groupings()) {
      if (heuristic.tries_all) continue;
      for (const planning::Dispatch rule : {planning::Dispatch::fair, planning::Dispatch::rotate}) {
        const auto plan =
            plan_chain_ensemble(ensemble, {.heuristic = &heuristic, .dispatch = rule});
        ASSERT_TRUE(plan) << "seed " << seed;
        ASSERT_EQ(check(plan->problem, plan->plan), kNoViolations) << "seed " << seed;
        const planning::Grouping expected = heuristic.make(problem, rule);
        ASSERT_EQ(plan->summary.sites[0].grouping, expected) << heuristic.name << " seed " << seed;
        const planning::MonthResult simulated = planning::simulate_months(problem, expected, rule);
        Time main_end = 0;
        for (const planning::MonthRun& run : plan->runs[0]) main_end = std::max(main_end, run.end);
        EXPECT_EQ(main_end, simulated.main_end) << heuristic.name << " seed " << seed;
        EXPECT_LE(plan->summary.makespan, simulated.makespan) << heuristic.name << " seed " << seed;
      }
    }
  }
}

planning::RepeatedUnit random_unit(Dice& dice, Count processors) {
  const Workflow workflow =
      testing::random_workflow(dice, {.max_tasks = 6, .max_processors = processors}, processors);
  std::vector<TaskId> chain;
  for (TaskId task = 0; task < workflow.size(); ++task) {
    if (dice.chance(0.3)) chain.push_back(task);
  }
  return planning::RepeatedUnit(workflow, chain);
}

TEST(ChainEnsemble, AnyWorkflowAsAMonthAmongReservations) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const Platform platform = testing::random_platform(dice, {.max_processors = 24});
    const ChainEnsemble ensemble{.platform = platform,
                                 .units = {random_unit(dice, platform.clusters()[0].processors)},
                                 .windows = {{}},
                                 .scenarios = static_cast<Count>(dice.between(1, 4)),
                                 .months = static_cast<Count>(dice.between(1, 5)),
                                 .post_processors = static_cast<Count>(dice.between(0, 1))};
    for (const char* heuristic : {"basic", "knapsack", "best"}) {
      const planning::Dispatch rule =
          seed % 2 == 0 ? planning::Dispatch::fair : planning::Dispatch::rotate;
      const auto plan = plan_chain_ensemble(
          ensemble, {.heuristic = planning::find_grouping(heuristic), .dispatch = rule});
      if (!plan) {
        // Only when the reserved processor leaves too few for the widest task.
        ASSERT_EQ(ensemble.post_processors, 1);
        continue;
      }
      ASSERT_EQ(check(plan->problem, plan->plan), kNoViolations) << heuristic;
      EXPECT_EQ(makespan(plan->plan), plan->summary.makespan);
    }
  }
}

ChainEnsemble in_slots(Count scenarios, Count months, Duration length) {
  const planning::MonthProblem problem = testing::grillon(53);
  ChainEnsemble ensemble = on_empty_cluster(problem);
  ensemble.scenarios = scenarios;
  ensemble.months = months;
  ensemble.windows = {{.length = length, .every = kDay}};
  return ensemble;
}

// 25 months of 1400 seconds fit into 10 hours; the rest of the slot is for post tasks.
TEST(ChainEnsemble, AGroupRestartsWhereItStoppedInTheNextSlot) {
  const auto plan = plan_chain_ensemble(in_slots(1, 60, 10 * kHour), {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(check(plan->problem, plan->plan), kNoViolations);
  std::vector<int> months_in_slot(3, 0);
  Count month = 0;
  for (const planning::MonthRun& run : plan->runs[0]) {
    EXPECT_EQ(run.month, month++);
    const auto slot = static_cast<std::size_t>(run.start / kDay);
    ASSERT_LT(slot, 3U);
    ++months_in_slot[slot];
    EXPECT_LE(run.end % kDay, 10 * kHour);
  }
  EXPECT_EQ(months_in_slot, (std::vector<int>{25, 25, 10}));
}

TEST(ChainEnsemble, SlotsThatAreTooShortForAnyMonthGiveNoPlan) {
  EXPECT_FALSE(plan_chain_ensemble(in_slots(2, 3, 1'000 * kSecond), {}));
  EXPECT_TRUE(plan_chain_ensemble(in_slots(2, 3, 1'500 * kSecond), {}));
}

TEST(ChainEnsemble, AListOfWindowsMayBeTooShort) {
  ChainEnsemble ensemble = in_slots(1, 10, kHour);
  ensemble.windows = {{.list = {{0, 2 * kHour}, {5 * kHour, 7 * kHour}}}};
  EXPECT_TRUE(plan_chain_ensemble(ensemble, {}));
  ensemble.months = 11;
  EXPECT_FALSE(plan_chain_ensemble(ensemble, {}));
}

// A scenario of 30 months needs 30 of the short slots.
TEST(ChainEnsemble, RoundRobinKeepsAClusterOfManySparseSlots) {
  ChainEnsemble ensemble = in_slots(4, 30, kHour);
  ensemble.platform =
      Platform(0, {{.name = "a", .processors = 11}, {.name = "b", .processors = 11}});
  ensemble.windows = {{}, {.length = 1'500 * kSecond, .every = kDay}};
  const auto plan =
      plan_chain_ensemble(ensemble, {.repartition = planning::find_repartition("round-robin")});
  ASSERT_TRUE(plan);
  EXPECT_EQ(check(plan->problem, plan->plan), kNoViolations);
  EXPECT_EQ(plan->summary.sites[0].scenarios.size(), 2U);
  EXPECT_EQ(plan->summary.sites[1].scenarios.size(), 2U);
}

TEST(ChainEnsemble, SlotsMayBeginLongFromNowAndAfterLongReservations) {
  ChainEnsemble ensemble = in_slots(1, 1, kHour);
  ensemble.windows[0].first = 100 * kDay;
  auto plan = plan_chain_ensemble(ensemble, {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->runs[0][0].start, 100 * kDay);
  ensemble.windows[0].first = 0;
  ensemble.platform = Platform(
      0, {{.name = "cluster", .processors = 53, .reservations = {{0, 200 * kDay + 1, 53}}}});
  plan = plan_chain_ensemble(ensemble, {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->runs[0][0].start, 200 * kDay + 1);
}

TEST(ChainEnsemble, AMonthMayBeLongerThanSlotsThatTouchEachOther) {
  ChainEnsemble ensemble = in_slots(1, 1, kMinute);
  ensemble.windows[0] = {.length = kMinute, .every = kMinute, .first = kHour};
  const auto plan = plan_chain_ensemble(ensemble, {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->runs[0][0].start, kHour);
  EXPECT_EQ(check(plan->problem, plan->plan), kNoViolations);
}

TEST(ChainEnsemble, SaysWhichClusterHasNoRoom) {
  ChainEnsemble ensemble = in_slots(4, 3, kHour);
  ensemble.platform =
      Platform(0, {{.name = "a", .processors = 11}, {.name = "b", .processors = 11}});
  ensemble.windows = {{}, {.list = {{0, 5'000 * kSecond}}}};
  std::size_t full = 0;
  EXPECT_FALSE(plan_chain_ensemble(
      ensemble, {.repartition = planning::find_repartition("round-robin")}, &full));
  EXPECT_EQ(full, 1U);
}

TEST(ChainEnsemble, TheFormulasKnowNothingOfWindows) {
  EXPECT_GE(plan_chain_ensemble(in_slots(1, 3, kHour), {})->summary.sites[0].formula, kForever);
  const auto plan = plan_chain_ensemble(on_empty_cluster(testing::grillon(53, 2, 3)), {});
  EXPECT_EQ(plan->summary.sites[0].formula, (3 * 1400 + 100) * kSecond);
}

TEST(ChainEnsemble, WindowsAndReservationsAndSeveralClusters) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    std::vector<Cluster> clusters;
    ChainEnsemble ensemble{.platform = Platform::empty(1),
                           .scenarios = static_cast<Count>(dice.between(1, 6)),
                           .months = static_cast<Count>(dice.between(1, 6))};
    for (int c = 0; c < 3; ++c) {
      const auto processors = static_cast<Count>(dice.between(8, 40));
      Cluster cluster{.name = "c" + std::to_string(c), .processors = processors};
      for (int r = 0; r < 3; ++r) {
        const Time start = dice.between(0, 5000);
        cluster.reservations.push_back({start, start + dice.between(1, 3000),
                                        static_cast<Count>(dice.between(1, processors / 3))});
      }
      clusters.push_back(cluster);
      const planning::MonthProblem months = strict_months(dice, 1, 1);
      ensemble.units.push_back(planning::month_unit(months.sizes, months.post, 2));
      ensemble.windows.push_back(
          {.length = dice.between(500, 900), .every = 1000, .first = dice.between(0, 999)});
    }
    ensemble.platform = Platform(0, clusters);
    for (const planning::RepartitionInfo& rule : planning::repartitions()) {
      const auto plan = plan_chain_ensemble(ensemble, {.repartition = &rule});
      ASSERT_TRUE(plan) << rule.name;
      ASSERT_EQ(check(plan->problem, plan->plan), kNoViolations) << rule.name;
    }
  }
}

}  // namespace
}  // namespace dovetail
