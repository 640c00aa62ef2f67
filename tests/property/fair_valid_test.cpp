// The planners for several workflows on random problems with reservations, weights and workflows
// that become ready later: every plan passes the checker and keeps its promises.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "dovetail/check.hpp"
#include "dovetail/fairness.hpp"
#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"
#include "planners/fair/list_map.hpp"
#include "support/random_problem.hpp"

namespace dovetail {
namespace {

using testing::Dice;
using testing::RandomProblemOptions;

RandomProblemOptions varied(std::uint64_t seed) {
  return {.max_tasks = 2 + static_cast<int>(seed % 20),
          .max_processors = 1 + static_cast<Count>(seed % 40),
          .max_reservations = static_cast<int>(seed % 25),
          .all_models = seed % 3 != 0,
          .tiny_times = seed % 7 == 0};
}

WorkflowTerms random_terms(Dice& dice, Time now, std::uint64_t seed) {
  WorkflowTerms terms;
  if (seed % 2 == 0 && dice.chance(0.7)) terms.weight = dice.real(0.1, 10);
  if (seed % 4 > 1 && dice.chance(0.7)) terms.ready_at = now + dice.between(-2'000, 100'000);
  return terms;
}

Problem random_sharing(std::uint64_t seed) {
  Dice dice(seed);
  const RandomProblemOptions options = varied(seed);
  const Platform platform = testing::random_platform(dice, options);
  std::vector<Workflow> workflows;
  const auto count = dice.between(1, 7);
  for (std::int64_t i = 0; i < count; ++i) {
    const Workflow plain = testing::random_workflow(
        dice, options, platform.clusters()[0].processors, "w" + std::to_string(i));
    workflows.push_back(plain.with_terms(random_terms(dice, platform.now(), seed)));
  }
  return Problem(workflows, platform, Goal::fair);
}

double heaviest(const Problem& problem) {
  double most = 0;
  for (const Workflow& workflow : problem.workflows()) {
    most = std::max(most, workflow.terms().weight);
  }
  return most;
}

// No workflow waits longer than 2 x slack x S* says, more for those of less weight.
void expect_bound_kept(const Problem& problem, const Plan& plan, std::uint64_t seed) {
  ASSERT_TRUE(plan.division.has_value());
  for (std::size_t i = 0; i < problem.workflows().size(); ++i) {
    const double length = static_cast<double>(makespan(plan, i) - (problem.ready(i) - plan.now));
    const double weight = problem.workflows()[i].terms().weight / heaviest(problem);
    const double due = std::ceil(static_cast<double>(plan.alone[i]) / weight);
    const double limit = 2 * plan.division->slack * plan.division->bound * due;
    ASSERT_LE(length, limit + 1) << "seed " << seed << " workflow " << i;
  }
}

TEST(FairValid, EveryPlanPassesTheCheckerAndMagsKeepsItsBound) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const Problem problem = random_sharing(seed);
    const auto plans = plan_all(problem);
    ASSERT_EQ(plans.size(), 5U);
    for (const Plan& plan : plans) {
      ASSERT_TRUE(plan.feasible) << plan.algorithm << " seed " << seed;
      ASSERT_EQ(check(problem, plan), std::vector<std::string>{})
          << plan.algorithm << " seed " << seed;
      ASSERT_EQ(check(problem, make_record(problem, plan)), std::vector<std::string>{})
          << plan.algorithm << " seed " << seed;
      if (plan.algorithm == "MAGS") expect_bound_kept(problem, plan, seed);
    }
    if (HasFatalFailure()) return;
  }
}

TEST(FairValid, FalseStretchesAreRefused) {
  const Problem problem = random_sharing(2);
  ASSERT_TRUE(differ_in_weight(problem)) << "take another seed";
  const PlanRecord good = make_record(problem, plan_all(problem).back());
  using Change = void (*)(PlanRecord&);
  const std::initializer_list<Change> changes = {
      [](PlanRecord& r) { r.workflows[0].stretch *= 0.9; },
      [](PlanRecord& r) { *r.workflows[0].dedicated_makespan += 500; },
      [](PlanRecord& r) { r.workflows[0].dedicated_makespan.reset(); },
      [](PlanRecord& r) { *r.average_stretch *= 0.9; },
      [](PlanRecord& r) { *r.maximum_stretch *= 0.9; },
      [](PlanRecord& r) { *r.maximum_weighted_stretch *= 0.9; }};
  for (const Change change : changes) {
    PlanRecord record = good;
    change(record);
    const auto violations = check(problem, record);
    ASSERT_FALSE(violations.empty());
    for (const std::string& violation : violations) {
      EXPECT_TRUE(violation.starts_with("stretch: the plan ")) << violation;
    }
  }
}

// Tasks in any order that respects the edges, with any allowed processors.
TEST(FairValid, CompactionNeverMovesATaskLater) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const Problem problem = random_sharing(seed);
    PlanningContext context(problem);
    const planning::Sharing sharing(context);
    Dice dice(seed);
    std::vector<std::vector<Count>> allocations;
    std::vector<TaskRef> list;
    for (std::uint32_t i = 0; i < sharing.size(); ++i) {
      const planning::ClusterView& view = sharing.members()[i].view;
      allocations.emplace_back();
      for (TaskId task = 0; task < view.size(); ++task) {
        allocations[i].push_back(
            view.bounded(task, static_cast<Count>(dice.between(1, sharing.processors()))));
      }
      for (const TaskId task : view.workflow().topological_order()) list.push_back({i, task});
    }
    const auto slots = planning::list_map(sharing, list, allocations).value();
    const auto moved = planning::compact(sharing, slots).value();
    for (const TaskRef ref : list) {
      const planning::Slot& before = slots[ref.workflow][ref.task];
      const planning::Slot& after = moved[ref.workflow][ref.task];
      ASSERT_LE(after.start, before.start) << "seed " << seed;
      ASSERT_EQ(after.procs, before.procs) << "seed " << seed;
    }
    ASSERT_EQ(check(problem, sharing.to_plan("moved", moved)), std::vector<std::string>{})
        << "seed " << seed;
  }
}

std::vector<Workflow> copies_of(std::uint64_t seed, int count, Count procs) {
  std::vector<Workflow> workflows;
  for (int i = 0; i < count; ++i) {
    Dice dice(seed);
    workflows.push_back(testing::random_workflow(dice, {.max_tasks = 15, .all_models = false},
                                                 procs, "w" + std::to_string(i)));
  }
  return workflows;
}

// Nearly: a list without holes that is compacted afterwards is not always what insertion gives,
// shelves may find a shorter plan on fewer processors and look at lengths to one in a thousand, and
// MAGS plans the reversed graph.
TEST(FairValid, OneWorkflowAloneHasStretchOne) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const auto procs = static_cast<Count>(1 + seed % 30);
    const Problem problem(copies_of(seed, 1, procs), Platform::empty(procs), Goal::fair);
    for (const Plan& plan : plan_all(problem)) {
      const double stretch =
          static_cast<double>(makespan(plan)) / static_cast<double>(plan.alone[0]);
      if (plan.algorithm == "MAGS") {
        EXPECT_EQ(plan.division->bound, 1);
        EXPECT_LE(stretch, plan.division->slack * 1.001) << " seed " << seed;
      } else if (plan.algorithm != "CRA_WORK_WEIGHT") {
        EXPECT_LE(stretch, 1.01) << plan.algorithm << " seed " << seed;
      }
    }
  }
}

// They have the same right to the cluster: MAGS makes both due at the same time.
TEST(FairValid, TwoWorkflowsThatAreAlikeGetTheSameDueTime) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const auto procs = static_cast<Count>(2 + seed % 30);
    const Problem problem(copies_of(seed, 2, procs), Platform::empty(procs), Goal::fair);
    for (const Plan& plan : plan_all(problem)) {
      ASSERT_EQ(plan.alone[0], plan.alone[1]);
      if (plan.algorithm != "MAGS") continue;
      EXPECT_EQ(plan.division->bound, 2) << "seed " << seed;
      EXPECT_EQ(plan.division->periods.size(), 1U) << "seed " << seed;
      for (const std::size_t i : {0, 1}) {
        EXPECT_LE(makespan(plan, i), plan.division->periods[0]) << "seed " << seed;
      }
    }
  }
}

TEST(FairValid, MoreWorkflowsThanProcessorsAndTasksAsWideAsTheCluster) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Problem many(copies_of(seed, 9, 2), Platform::empty(2), Goal::fair);
    WorkflowBuilder one("one");
    one.add_task({.id = "t", .time = TimeSpec::fixed(static_cast<double>(seed), 4)});
    WorkflowBuilder other("other");
    other.add_task({.id = "t", .time = TimeSpec::fixed(10, 3)});
    const Problem wide({std::move(one).build(), std::move(other).build()}, Platform::empty(4),
                       Goal::fair);
    for (const Problem* problem : {&many, &wide}) {
      for (const Plan& plan : plan_all(*problem)) {
        ASSERT_TRUE(plan.feasible) << plan.algorithm << " seed " << seed;
        ASSERT_EQ(check(*problem, plan), std::vector<std::string>{}) << plan.algorithm;
        if (plan.algorithm == "MAGS") expect_bound_kept(*problem, plan, seed);
      }
    }
  }
}

TEST(FairValid, EqualWeightsAndReadyNowChangeNothing) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto procs = static_cast<Count>(4 + seed % 30);
    std::vector<Workflow> plain = copies_of(seed, 1, procs);
    for (const Workflow& more : copies_of(seed + 1'000, 3, procs)) {
      if (more.name() != "w0") plain.push_back(more);
    }
    std::vector<Workflow> with;
    for (const Workflow& workflow : plain) {
      with.push_back(workflow.with_terms({.weight = 0.3, .ready_at = 0}));
    }
    EXPECT_EQ(plan_all(Problem(plain, Platform::empty(procs), Goal::fair)),
              plan_all(Problem(with, Platform::empty(procs), Goal::fair)))
        << "seed " << seed;
  }
}

TEST(FairValid, WhatIsReadyLaterIsPlannedAsIfNowWereThen) {
  constexpr Time kLater = 12'345;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto procs = static_cast<Count>(3 + seed % 30);
    const std::vector<Workflow> plain = copies_of(seed, 3, procs);
    std::vector<Workflow> later;
    for (const Workflow& workflow : plain)
      later.push_back(workflow.with_terms({.ready_at = kLater}));
    const auto now_plans = plan_all(Problem(plain, Platform::empty(procs), Goal::fair));
    const auto later_plans = plan_all(Problem(later, Platform::empty(procs), Goal::fair));
    for (std::size_t k = 0; k < now_plans.size(); ++k) {
      EXPECT_EQ(now_plans[k].alone, later_plans[k].alone);
      for (std::size_t i = 0; i < now_plans[k].placements.size(); ++i) {
        EXPECT_EQ(now_plans[k].placements[i].start + kLater, later_plans[k].placements[i].start)
            << now_plans[k].algorithm << " seed " << seed;
      }
    }
  }
}

// The heavier of two alike is served first.
TEST(FairValid, MoreWeightMeansLessStretch) {
  WorkflowTerms heavy{.weight = 4};
  int earlier = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::vector<Workflow> two = copies_of(seed, 2, 16);
    const Problem problem({two[0], two[1].with_terms(heavy)}, Platform::empty(16), Goal::fair);
    const Plan mags = plan(*find_planner("MAGS"), problem);
    earlier += makespan(mags, 1) <= makespan(mags, 0) ? 1 : 0;
  }
  EXPECT_GE(earlier, 95);
}

TEST(FairValid, TheFairestPlanIsChosenAndMagsAmongEquals) {
  int others = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Problem problem = random_sharing(seed);
    const auto plans = plan_all(problem);
    const auto stretch = [&](const Plan& plan) {
      return measure_fairness(problem, plan).weighted_stretch;
    };
    const std::size_t chosen = fairest_plan(problem, plans);
    for (const Plan& plan : plans) {
      EXPECT_LE(stretch(plans[chosen]), 1.01 * stretch(plan)) << "seed " << seed;
    }
    ASSERT_EQ(plans.back().algorithm, "MAGS");
    if (chosen + 1 < plans.size()) {
      ++others;
      EXPECT_NE(plans[chosen].placements, plans.back().placements) << "seed " << seed;
    }
    PlanningContext context(problem);
    EXPECT_EQ(fair_plan(context), plans[chosen]) << "seed " << seed;
  }
  EXPECT_GT(others, 0);
  EXPECT_LT(others, 300);
}

// The fluid works of two workflows, each of which takes the whole cluster while it runs alone, do
// not fit before the cluster leaves; the tasks themselves do.
TEST(FairValid, MagsHasAPlanWhereFluidsDoNotFitBeforeTheClusterLeaves) {
  std::vector<Workflow> workflows;
  for (const char* name : {"a", "b"}) {
    WorkflowBuilder builder(name);
    builder.add_task({.id = "t", .time = TimeSpec::fixed(20, 1)});
    workflows.push_back(std::move(builder).build());
  }
  const Problem problem(std::move(workflows),
                        Platform(0, {{.name = "c", .processors = 4, .leaves = 30'000}}),
                        Goal::fair);
  const Plan mags = plan(*find_planner("MAGS"), problem);
  ASSERT_TRUE(mags.feasible);
  EXPECT_EQ(check(problem, mags), std::vector<std::string>{});
  EXPECT_FALSE(mags.division.has_value());
}

// As wide as CPA makes them alone, the tasks do not fit before the cluster leaves; narrower they
// do.
TEST(FairValid, MagsPlansNarrowerTasksWhereTheClusterLeavesSoon) {
  std::vector<Workflow> workflows;
  for (const char* name : {"a", "b", "c", "d"}) {
    WorkflowBuilder builder(name);
    builder.add_task({.id = "t", .time = TimeSpec::amdahl(100, 0.5)});
    workflows.push_back(std::move(builder).build());
  }
  const Problem problem(std::move(workflows),
                        Platform(0, {{.name = "c", .processors = 4, .leaves = 100'000}}),
                        Goal::fair);
  EXPECT_FALSE(plan(*find_planner("SELFISH_ORDER"), problem).feasible);
  const Plan mags = plan(*find_planner("MAGS"), problem);
  ASSERT_TRUE(mags.feasible);
  EXPECT_EQ(check(problem, mags), std::vector<std::string>{});
}

TEST(FairValid, AClusterThatLeavesTooEarlyGivesNoPlan) {
  WorkflowBuilder builder("w");
  builder.add_task({.id = "long", .time = TimeSpec::amdahl(100, 0.5)});
  WorkflowBuilder other("v");
  other.add_task({.id = "t", .time = TimeSpec::amdahl(1, 0.5)});
  const Problem problem({std::move(builder).build(), std::move(other).build()},
                        Platform(0, {{.name = "c", .processors = 4, .leaves = 30'000}}),
                        Goal::fair);
  for (const Plan& plan : plan_all(problem)) {
    EXPECT_FALSE(plan.feasible) << plan.algorithm;
    EXPECT_TRUE(plan.placements.empty()) << plan.algorithm;
  }
}

// Two tasks of centuries on ten million processors: products beyond 128 bits.
TEST(FairValid, CenturiesOnHugeClusters) {
  std::vector<Workflow> workflows;
  for (const double seconds : {9.7e9, 1e10, 1e-3}) {
    WorkflowBuilder builder("w" + std::to_string(workflows.size()));
    builder.add_task({.id = "t", .time = TimeSpec::fixed(seconds, 3)});
    workflows.push_back(std::move(builder).build());
  }
  const Problem problem(workflows, Platform::empty(1'000'000), Goal::fair);
  const Plan mags = plan(*find_planner("MAGS"), problem);
  ASSERT_TRUE(mags.feasible);
  EXPECT_EQ(check(problem, mags), std::vector<std::string>{});
}

// CPA's share of a cluster of which most is reserved for days would wait for the end of that.
TEST(FairPlans, UseWhatLongReservationsLeave) {
  std::vector<Workflow> workflows;
  for (const char* name : {"a", "b"}) {
    WorkflowBuilder builder(name);
    for (int i = 0; i < 3; ++i) {
      builder.add_task({.id = "t" + std::to_string(i), .time = TimeSpec::amdahl(2'700, 0.05)});
    }
    builder.add_edge(0, 1);
    builder.add_edge(1, 2);
    workflows.push_back(std::move(builder).build());
  }
  const Cluster cluster{.name = "c", .processors = 16, .reservations = {{0, 2 * kDay, 12}}};
  const Problem problem(std::move(workflows), Platform(0, {cluster}), Goal::fair);
  for (const Plan& made : plan_all(problem)) {
    ASSERT_TRUE(made.feasible) << made.algorithm;
    EXPECT_TRUE(check(problem, made).empty()) << made.algorithm;
    EXPECT_LT(makespan(made), 3 * kHour) << made.algorithm;
  }
}

}  // namespace
}  // namespace dovetail
