// The frontier between turn-around and CPU time.
#include "dovetail/frontier.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "dovetail/check.hpp"
#include "dovetail/metrics.hpp"
#include "planners/list/pull_forward.hpp"
#include "planners/list/tightest.hpp"
#include "planners/search/known_plans.hpp"
#include "support/random_problem.hpp"

namespace dovetail {
namespace {

using testing::Dice;
using testing::random_problem;
using testing::RandomProblemOptions;

RandomProblemOptions varied(std::uint64_t seed) {
  return {.max_tasks = 4 + static_cast<int>(seed % 16),
          .max_processors = 2 + static_cast<Count>(seed % 60),
          .max_reservations = static_cast<int>(seed % 30),
          .all_models = seed % 3 != 0,
          .tiny_times = seed % 7 == 0};
}

const PlannerOptions kLittleSearch{.search = {.trials = 300}};

// A plan of that length and consumption; needs area >= length.
Plan point(Duration length, Area area, int number) {
  const auto rest = static_cast<Count>(area - length);
  return {.algorithm = std::to_string(number),
          .placements = {{.procs = 1, .start = 0, .end = length},
                         {.procs = rest, .start = 0, .end = 1}}};
}

bool as_good(const Plan& a, const Plan& b) {
  return makespan(a) <= makespan(b) && consumed(a) <= consumed(b);
}

bool better(const Plan& a, const Plan& b) { return as_good(a, b) && !as_good(b, a); }

void expect_monotone(const std::vector<Plan>& front) {
  for (std::size_t i = 1; i < front.size(); ++i) {
    ASSERT_GT(makespan(front[i]), makespan(front[i - 1]));
    ASSERT_TRUE(consumed(front[i]) < consumed(front[i - 1]));
  }
}

// By its definition: those that no other beats, the first of those alike, earliest end first.
std::vector<std::string> naive_front(const std::vector<Plan>& plans) {
  std::vector<Plan> kept;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    bool beaten = false;
    for (std::size_t j = 0; j < plans.size(); ++j) {
      beaten = beaten || better(plans[j], plans[i]) || (j < i && as_good(plans[j], plans[i]));
    }
    if (!beaten) kept.push_back(plans[i]);
  }
  std::sort(kept.begin(), kept.end(),
            [](const Plan& a, const Plan& b) { return makespan(a) < makespan(b); });
  std::vector<std::string> names;
  for (const Plan& plan : kept) names.push_back(plan.algorithm);
  return names;
}

TEST(Frontier, OfferKeepsWhatNoOtherBeats) {
  std::size_t most = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Dice dice(seed);
    const auto spread = dice.between(1, 30);
    Frontier front;
    std::vector<Plan> offered;
    for (int i = 0; i < 25; ++i) {
      offered.push_back(point(dice.between(1, spread), spread + dice.between(0, spread), i));
      const bool beaten = std::any_of(offered.begin(), offered.end() - 1, [&](const Plan& other) {
        return as_good(other, offered.back());
      });
      ASSERT_EQ(front.offer(offered.back()), !beaten) << "seed " << seed << " point " << i;
      std::vector<std::string> names;
      for (const Plan& plan : front.plans()) names.push_back(plan.algorithm);
      ASSERT_EQ(names, naive_front(offered)) << "seed " << seed << " point " << i;
    }
    most = std::max(most, front.plans().size());
  }
  EXPECT_GT(most, 5U);
}

TEST(Frontier, OfferRefusesInfeasiblePlans) {
  Frontier front;
  EXPECT_FALSE(front.offer({.feasible = false}));
  EXPECT_TRUE(front.plans().empty());
}

TEST(Frontier, FallsStrictlyIsValidAndNoOtherPlanBeatsIt) {
  std::size_t most = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = random_problem(seed, varied(seed));
    PlanningContext context(problem, kLittleSearch);
    const std::vector<Plan> front = frontier(context, {.deadlines = 24});
    ASSERT_FALSE(front.empty());
    expect_monotone(front);
    for (const Plan& plan : front) ASSERT_EQ(check(problem, plan), std::vector<std::string>{});
    std::vector<Plan> others = planning::tightest_plans(context);
    for (Plan& plan : plan_all(context)) others.push_back(std::move(plan));
    for (const Plan& other : others) {
      ASSERT_TRUE(std::any_of(front.begin(), front.end(), [&](const Plan& plan) {
        return as_good(plan, other);
      })) << other.algorithm;
    }
    if (HasFatalFailure()) return;
    most = std::max(most, front.size());
  }
  EXPECT_GT(most, 8U);
}

// What a published point was made with gives the point again.
TEST(Frontier, EveryPointIsThePlanOfItsAlgorithmAtItsDeadline) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Problem problem = random_problem(seed, varied(seed));
    PlanningContext context(problem, kLittleSearch);
    for (const Plan& plan : frontier(context, {.deadlines = 16, .by_search = false})) {
      PlanningContext own(problem);
      const Plan again = plan_by(*find_planner(plan.algorithm), own, plan.deadline);
      EXPECT_EQ(plan.deadline ? planning::pull_forward(problem, again) : again, plan)
          << "seed " << seed;
    }
  }
}

TEST(Frontier, WhatWasFoundBySearchIsProvedByItsOwnCertificate) {
  int proofs = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = random_problem(seed, varied(seed));
    PlanningContext context(problem, kLittleSearch);
    for (const Plan& plan : frontier(context, {.deadlines = 12})) {
      ASSERT_EQ(plan.search.has_value(), plan.algorithm == "DOVETAIL");
      if (!plan.search || !plan.search->certificate) continue;
      ++proofs;
      ASSERT_EQ(check(problem, make_record(problem, plan)), std::vector<std::string>{});
    }
  }
  EXPECT_GT(proofs, 60);
}

TEST(KnownPlans, UnderATimeLimitThePlansForTheDeadlineComeFirst) {
  const Problem problem = random_problem(5, {.max_tasks = 20, .max_processors = 24});
  double now = 0;
  PlannerOptions options;
  options.search.seconds = 10;
  options.search.clock = [&] { return now; };
  PlanningContext context(problem, options);
  const Plan thrifty = plan_by(*find_planner("BL_CPAR_BD_CPAR"), context, std::nullopt);
  const Time deadline = problem.now() + 2 * makespan(thrifty);
  const Frontier known = planning::known_in_time(context, deadline);
  for (const PlannerInfo* planner : planners_for(Goal::deadline, problem)) {
    const Plan plan = plan_by(*planner, context, deadline);
    if (!plan.feasible) continue;
    EXPECT_TRUE(known.cheapest_within(deadline - problem.now()).value() <= consumed(plan));
  }
  options.search.clock = [&] { return now += 5; };
  PlanningContext hasty(problem, options);
  EXPECT_TRUE(planning::known_in_time(hasty, deadline).plans().empty());
}

TEST(Frontier, IsTheSameEveryTime) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Problem problem = random_problem(seed, varied(seed));
    PlanningContext first(problem, kLittleSearch);
    PlanningContext second(problem, kLittleSearch);
    const std::vector<Plan> front = frontier(first, {.deadlines = 16});
    EXPECT_EQ(front, frontier(second, {.deadlines = 16})) << "seed " << seed;
    EXPECT_EQ(front, frontier(first, {.deadlines = 16})) << "again, seed " << seed;
  }
}

TEST(Frontier, AnyNumberOfDeadlinesWillDo) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Problem problem = random_problem(seed, varied(seed));
    PlanningContext context(problem, kLittleSearch);
    for (std::size_t deadlines = 0; deadlines <= 4; ++deadlines) {
      const std::vector<Plan> front = frontier(context, {.deadlines = deadlines});
      ASSERT_FALSE(front.empty()) << "seed " << seed;
      expect_monotone(front);
    }
  }
}

TEST(Frontier, TellsItsProgressUpToTheEnd) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Problem problem = random_problem(seed, {.max_tasks = 20, .max_processors = 40});
    PlanningContext context(problem, kLittleSearch);
    for (const std::size_t deadlines : {std::size_t{2}, std::size_t{5}, std::size_t{32}}) {
      std::vector<std::size_t> told;
      frontier(context,
               {.deadlines = deadlines, .progress = [&](std::size_t done, std::size_t total) {
                  EXPECT_EQ(total, deadlines);
                  told.push_back(done);
                }});
      ASSERT_FALSE(told.empty());
      EXPECT_EQ(told.back(), deadlines) << "seed " << seed;
      for (std::size_t i = 0; i + 1 < told.size(); ++i) EXPECT_EQ(told[i], i + 1);
    }
  }
}

TEST(Frontier, IsEmptyWhenTheClusterLeavesTooEarly) {
  WorkflowBuilder builder("w");
  builder.add_task({.id = "long", .time = TimeSpec::amdahl(100, 0.5)});
  const Problem problem({std::move(builder).build()},
                        Platform(0, {{.name = "c", .processors = 4, .leaves = 30'000}}));
  PlanningContext context(problem, kLittleSearch);
  EXPECT_TRUE(frontier(context).empty());
}

TEST(Frontier, FastestWithinABudget) {
  std::size_t most = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Problem problem = random_problem(seed, varied(seed));
    PlanningContext context(problem, kLittleSearch);
    const std::vector<Plan> front = frontier(context, {.deadlines = 16});
    most = std::max(most, front.size());
    EXPECT_EQ(fastest_within(front, 1e9), &front.front());
    for (std::size_t i = 0; i < front.size(); ++i) {
      const double hours = cpu_hours(front[i]);
      EXPECT_EQ(fastest_within(front, hours), &front[i]);
      const Plan* next = i + 1 < front.size() ? &front[i + 1] : nullptr;
      EXPECT_EQ(fastest_within(front, std::nextafter(hours, 0.0)), next);
    }
  }
  EXPECT_GT(most, 3U);
  EXPECT_EQ(fastest_within({}, 1e9), nullptr);
}

// What is shown for some plan, asked for as a deadline, must give at least that.
TEST(KnownPlans, ADeadlineAtTheEndOfAKnownPlanCostsNoMore) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Problem problem = random_problem(seed, varied(seed));
    PlanningContext context(problem, kLittleSearch);
    const Frontier known = planning::known_plans(context);
    ASSERT_FALSE(known.plans().empty());
    for (std::size_t i = 0; i < known.plans().size(); i += 4) {
      const Plan& shown = known.plans()[i];
      const Duration allowed = makespan(shown) + static_cast<Duration>(seed % 3) * 500;
      const Frontier answer = planning::known_plans_by(context, problem.now() + allowed);
      const Plan* given = last_within(answer.plans(), allowed);
      ASSERT_NE(given, nullptr) << "seed " << seed;
      EXPECT_LE(consumed(*given), consumed(shown)) << "seed " << seed;
      EXPECT_EQ(check(problem, *given), std::vector<std::string>{}) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace dovetail
