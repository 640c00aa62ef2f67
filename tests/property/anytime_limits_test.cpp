// The search within its limits: CPU time, deadlines, time; and what plan files keep of it.
#include <gtest/gtest.h>

#include "dovetail/certificate.hpp"
#include "dovetail/check.hpp"
#include "dovetail/io.hpp"
#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"
#include "planners/search/anytime.hpp"
#include "support/random_problem.hpp"

namespace dovetail {
namespace {

using testing::random_problem;

Plan search(const Problem& problem, const SearchLimits& limits,
            std::optional<Time> deadline = std::nullopt, std::span<const Plan> known = {}) {
  PlanningContext context(problem, {.search = limits});
  return planning::plan_anytime(context, deadline, known);
}

void expect_proved(const Problem& problem, const Plan& plan) {
  ASSERT_TRUE(plan.search.has_value() && plan.search->certificate.has_value());
  EXPECT_EQ(check(problem, plan), std::vector<std::string>{});
  EXPECT_EQ(refute(problem, *plan.search->certificate), "");
  EXPECT_GE(*certified_gap(plan), 0);
}

TEST(AnytimeLimits, WithinItsBudgetNoPublishedPlanIsEarlier) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = random_problem(seed, {.max_tasks = 25, .max_processors = 32});
    const Plan thrifty = plan(*find_planner("BL_CPAR_BD_CPAR"), problem);
    const Plan found = search(problem, {.trials = 1'000});
    ASSERT_EQ(found.feasible, thrifty.feasible);
    if (!found.feasible) continue;
    expect_proved(problem, found);
    const Area budget = found.search->certificate->budget.value();
    EXPECT_TRUE(consumed(found) <= budget);
    EXPECT_NEAR(static_cast<double>(budget), 1.25 * static_cast<double>(consumed(thrifty)), 1);
    for (const PlannerInfo* planner : planners_for(Goal::turnaround, problem)) {
      const Plan other = plan(*planner, problem);
      if (!planner->name.starts_with("BL_") || consumed(other) > budget) continue;
      EXPECT_LE(makespan(found), makespan(other)) << planner->name;
    }
  }
}

TEST(AnytimeLimits, ByADeadlineNoKnownPlanIsCheaper) {
  int met = 0;
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = random_problem(seed, {.max_tasks = 20, .max_processors = 24});
    const Plan thrifty = plan(*find_planner("BL_CPAR_BD_CPAR"), problem);
    if (!thrifty.feasible) continue;
    const Time deadline =
        problem.now() + makespan(thrifty) * (80 + static_cast<Time>(seed % 90)) / 100;
    std::vector<Plan> known;
    for (const PlannerInfo* planner : planners_for(Goal::deadline, problem)) {
      PlanningContext context(problem);
      known.push_back(plan_by(*planner, context, deadline));
    }
    const Plan found = search(problem, {.trials = 1'000}, deadline, known);
    for (const Plan& other : known) {
      if (!other.feasible) continue;
      ASSERT_TRUE(found.feasible);
      EXPECT_TRUE(consumed(found) <= consumed(other)) << other.algorithm;
    }
    if (!found.feasible) continue;
    ++met;
    expect_proved(problem, found);
    EXPECT_LE(problem.now() + makespan(found), deadline);
  }
  EXPECT_GT(met, 50);
}

TEST(AnytimeLimits, WithTimeEnoughNobodyConsumesLessThanTheCertificateSays) {
  int exact = 0;
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem =
        random_problem(seed, {.max_tasks = 20, .max_processors = 24, .all_models = seed % 2 == 0});
    const Plan thrifty = plan(*find_planner("BL_CPAR_BD_CPAR"), problem);
    if (!thrifty.feasible) continue;
    const Plan found = search(problem, {.trials = 300}, problem.now() + 20 * makespan(thrifty));
    if (!found.feasible || !found.search->certificate) continue;
    expect_proved(problem, found);
    EXPECT_TRUE(found.search->certificate->work <= consumed(found));
    Certificate bolder = *found.search->certificate;
    bolder.work = consumed(found) + 1;
    EXPECT_NE(refute(problem, bolder), "");
    if (*certified_gap(found) == 0) ++exact;
  }
  EXPECT_GT(exact, 30);
}

TEST(AnytimeLimits, ABudgetThatSufficesIsFoundAndOneThatDoesNotIsNot) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem =
        random_problem(seed, {.max_tasks = 15, .max_processors = 16, .max_reservations = 5});
    const Plan any = search(problem, {.trials = 200, .cpu_factor = std::nullopt});
    if (!any.feasible) continue;
    const Plan none = search(problem, {.trials = 200, .budget = Area{1}});
    EXPECT_EQ(none.feasible, consumed(any) == 0);
    const Area enough = consumed(any);
    const Plan within = search(problem, {.trials = 200, .budget = enough});
    ASSERT_TRUE(within.feasible);
    EXPECT_TRUE(consumed(within) <= enough);
  }
}

TEST(AnytimeLimits, ATimeLimitEndsTheSearchAndThePlanSaysSo) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = random_problem(seed, {.max_tasks = 40, .max_processors = 64});
    double now = 0;
    const SearchLimits limits{.threads = 1, .seconds = 10, .clock = [&] { return now += 0.25; }};
    const Plan found = search(problem, limits);
    if (!found.feasible) continue;
    expect_proved(problem, found);
    // Nothing is cut short only where nothing was left to find.
    EXPECT_TRUE(found.search->is_truncated || *certified_gap(found) < 0.0015);
  }
}

TEST(AnytimeLimits, PlanFilesKeepTheProofAndTheCheckerReadsIt) {
  int proofs = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = random_problem(seed, {.max_tasks = 12, .max_processors = 16});
    const bool by_deadline = seed % 2 == 0;
    Plan found = search(problem, {.trials = 300});
    if (!found.feasible) continue;
    if (by_deadline) {
      const Time deadline = problem.now() + makespan(found) * 3 / 2;
      found = search(problem, {.trials = 300}, deadline);
      found.deadline = deadline;
    }
    const PlanRecord record = make_record(problem, found);
    const PlanRecord read = parse_plan(format_plan(record), "plan.json");
    ASSERT_EQ(read.search, record.search);
    EXPECT_EQ(check(problem, read), std::vector<std::string>{});
    PlanRecord boasting = read;
    boasting.gap = *read.gap / 2 - 0.01;
    EXPECT_FALSE(check(problem, boasting).empty());
    PlanRecord claiming = read;
    Certificate& claim = *claiming.search->certificate;
    claim.end += makespan(found);
    claim.work *= 2;
    EXPECT_FALSE(check(problem, claiming).empty());
    // True, and no proof of anything about this plan.
    PlanRecord evasive = read;
    evasive.gap = 0;
    evasive.search->certificate = Certificate{.end = problem.now() - 1, .span = {}};
    EXPECT_FALSE(check(problem, evasive).empty());
    if (by_deadline && claim.work > 0) {
      PlanRecord hasty = read;
      const Plan tight = search(problem, {.trials = 300});
      const Plan dear = search(problem, {.trials = 300}, problem.now() + makespan(tight));
      hasty.search->certificate = dear.search->certificate;
      hasty.gap = 0;
      EXPECT_FALSE(check(problem, hasty).empty());
    }
    ++proofs;
  }
  EXPECT_GT(proofs, 70);
}

}  // namespace
}  // namespace dovetail
