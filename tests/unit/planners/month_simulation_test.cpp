#include "planners/ensemble/month_simulation.hpp"

#include <gtest/gtest.h>

#include <map>

#include "planners/ensemble/month_dispatch.hpp"
#include "support/ensemble_samples.hpp"

namespace dovetail::planning {

using planning::Dispatch;
using planning::simulate_months;

namespace {

using testing::Dice;
using testing::grillon;
using testing::random_months;

TEST(MonthSimulation, ScenariosTakeTurnsOnEqualGroups) {
  const planning::MonthProblem problem = grillon(44, 5, 3);
  const planning::Grouping four{{11, 11, 11, 11}, 0};
  std::string order;
  for (const planning::MonthRun& run :
       simulate_months(problem, four, Dispatch::fair, planning::KeepRuns::yes).runs) {
    if (run.kind == planning::MonthRun::RunKind::post) continue;
    order += std::to_string(run.scenario + 1) + std::to_string(run.month + 1) + " ";
  }
  EXPECT_EQ(order, "11 21 31 41 51 12 22 32 42 52 13 23 33 43 53 ");
}

// Chains in order (where they are enforced), post tasks after their months, every month once, and
// no processor twice at a time.
void expect_valid(const planning::MonthProblem& problem, const planning::Grouping& grouping,
                  Dispatch rule, const planning::MonthResult& result) {
  std::map<std::pair<std::uint32_t, Count>, planning::MonthRun> mains;
  std::map<Count, Time> free_from;
  std::int64_t posts = 0;
  for (const planning::MonthRun& run : result.runs) {
    const Count width =
        run.kind == planning::MonthRun::RunKind::main ? grouping.groups[run.group] : 1;
    for (Count p = run.processor; p < run.processor + width; ++p) {
      ASSERT_LT(p, problem.processors);
      ASSERT_GE(run.start, free_from[p]);
      free_from[p] = run.end;
    }
    const std::pair key(run.scenario, run.month);
    if (run.kind == planning::MonthRun::RunKind::main) {
      ASSERT_EQ(run.end - run.start, problem.time_of(width));
      ASSERT_TRUE(mains.emplace(key, run).second);
      if (run.month > 0 && rule != Dispatch::ideal) {
        const auto before = mains.find({run.scenario, run.month - 1});
        ASSERT_NE(before, mains.end());
        ASSERT_GE(run.start, before->second.end);
      }
    } else {
      ++posts;
      ASSERT_GE(run.start, mains.at(key).end);
    }
    ASSERT_LE(run.end, result.makespan);
  }
  ASSERT_EQ(static_cast<std::int64_t>(mains.size()), problem.all_months());
  ASSERT_EQ(posts, problem.posts * problem.all_months());
}

TEST(MonthSimulation, TracesAreSchedules) {
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    planning::MonthProblem problem = random_months(dice, {.steep_posts = seed % 2 == 0});
    problem.posts = static_cast<Count>(dice.between(1, 3));
    if (seed % 3 == 0) problem.full_speed_posts = 2;
    if (seed % 5 == 0) problem.disk = DiskSpec{.capacity = 60, .month = 1, .margin = 20};
    for (const planning::DispatchInfo& rule : planning::dispatch_rules()) {
      const planning::Grouping grouping = planning::best_grouping(problem, rule.rule);
      const planning::MonthResult result =
          simulate_months(problem, grouping, rule.rule, planning::KeepRuns::yes);
      ASSERT_FALSE(result.is_stuck);
      EXPECT_EQ(result.makespan, simulate_months(problem, grouping, rule.rule).makespan);
      expect_valid(problem, grouping, rule.rule, result);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(MonthSimulation, SameInputSameRuns) {
  const planning::MonthProblem problem = grillon(75, 7, 36);
  const planning::Grouping grouping = planning::knapsack_grouping(problem);
  const auto once = simulate_months(problem, grouping, Dispatch::rotate, planning::KeepRuns::yes);
  const auto again = simulate_months(problem, grouping, Dispatch::rotate, planning::KeepRuns::yes);
  EXPECT_EQ(once.runs, again.runs);
}

TEST(MonthSimulation, RotatingHelpsTheScenarioOnTheSlowGroup) {
  const planning::MonthProblem problem = grillon(80);
  const planning::Grouping grouping = planning::knapsack_grouping(problem);
  ASSERT_EQ(grouping.groups.size(), 10U);
  EXPECT_LT(simulate_months(problem, grouping, Dispatch::rotate).makespan,
            simulate_months(problem, grouping, Dispatch::fair).makespan);
}

// Equal groups end together, so that a flush costs at most one round of post tasks that is not
// full.
TEST(MonthSimulation, AFlushCostsAtMostOneRoundOfPostTasks) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Dice dice(seed);
    planning::MonthProblem problem = random_months(dice);
    const planning::Grouping basic = planning::basic_grouping(problem);
    const Duration without = simulate_months(problem, basic, Dispatch::fair).makespan;
    const auto groups = static_cast<std::int64_t>(basic.groups.size());
    if (problem.all_months() % groups != 0) continue;
    problem.disk = DiskSpec{
        .capacity = dice.between(3 * groups, 12 * groups), .month = 1, .margin = 2 * groups};
    const planning::MonthResult result = simulate_months(problem, basic, Dispatch::fair);
    ASSERT_FALSE(result.is_stuck);
    EXPECT_LE(result.makespan, without + result.flushes * problem.post) << "seed " << seed;
  }
}

TEST(MonthSimulation, ADiskThatIsLargeEnoughChangesNothing) {
  planning::MonthProblem problem = grillon(53, 10, 24);
  const planning::Grouping grouping = planning::knapsack_grouping(problem);
  const Duration without = simulate_months(problem, grouping, Dispatch::fair).makespan;
  problem.disk = DiskSpec{.capacity = 500'000};
  const planning::MonthResult result = simulate_months(problem, grouping, Dispatch::fair);
  EXPECT_EQ(result.flushes, 0);
  EXPECT_EQ(result.makespan, without);
}

TEST(MonthSimulation, ArchivesCanFillTheDiskForGood) {
  planning::MonthProblem problem = grillon(53, 10, 180);
  problem.disk = DiskSpec{.capacity = 100'000, .archive = 120};
  const planning::MonthResult result =
      simulate_months(problem, planning::basic_grouping(problem), Dispatch::fair);
  EXPECT_TRUE(result.is_stuck);
  EXPECT_LT(result.months_done, 1800);
  EXPECT_GT(result.months_done, 500);
}

// 50 at a time are 12.5 times as slow as four: what a shared disk does.
TEST(MonthSimulation, PostTasksSlowEachOtherDown) {
  planning::MonthProblem problem = grillon(55, 5, 10);
  problem.full_speed_posts = 4;
  const planning::Grouping grouping{std::vector<Count>(5, 11), 0};
  const planning::MonthResult result = simulate_months(problem, grouping, Dispatch::fair);
  EXPECT_EQ(result.main_end, 14'000 * kSecond);
  EXPECT_EQ(result.makespan, (14'000 + 1'250) * kSecond);
}

}  // namespace
}  // namespace dovetail::planning
