// Every planner in the table for turn-around times on clusters, on thousands of random problems,
// judged by the checker; and the checker on plans that were tampered with.
#include <gtest/gtest.h>

#include "dovetail/check.hpp"
#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"
#include "support/random_problem.hpp"

namespace dovetail {
namespace {

using testing::Dice;
using testing::random_problem;
using testing::RandomProblemOptions;

constexpr std::uint64_t kProblems = 2000;

RandomProblemOptions varied(std::uint64_t seed) {
  return {.max_tasks = 2 + static_cast<int>(seed % 30),
          .max_processors = 1 + static_cast<Count>(seed % 50),
          .max_reservations = static_cast<int>(seed % 25),
          .all_models = seed % 3 != 0,
          .tiny_times = seed % 7 == 0};
}

TEST(PlannersValid, EveryPlanOfEveryPlannerPassesTheChecker) {
  for (std::uint64_t seed = 1; seed <= kProblems; ++seed) {
    const Problem problem = random_problem(seed, varied(seed));
    for (const Plan& plan : plan_all(problem)) {
      ASSERT_TRUE(plan.feasible) << plan.algorithm << " seed " << seed;
      ASSERT_EQ(check(problem, plan), std::vector<std::string>{})
          << plan.algorithm << " seed " << seed;
      ASSERT_EQ(check(problem, make_record(problem, plan)), std::vector<std::string>{})
          << plan.algorithm << " seed " << seed;
    }
  }
}

TEST(PlannersValid, SharedResultsGiveTheSamePlansAsEachPlannerAlone) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Problem problem = random_problem(seed, varied(seed));
    for (const Plan& together : plan_all(problem)) {
      EXPECT_EQ(plan(*find_planner(together.algorithm), problem), together) << "seed " << seed;
    }
  }
}

TEST(PlannersValid, SeveralWorkflowsShareOneCluster) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    const RandomProblemOptions options = varied(seed);
    const Platform platform = testing::random_platform(dice, options);
    std::vector<Workflow> workflows;
    for (const char* name : {"first", "second", "third"}) {
      workflows.push_back(
          testing::random_workflow(dice, options, platform.clusters()[0].processors, name));
    }
    const Problem problem(workflows, platform);
    for (const Plan& plan : plan_all(problem)) {
      ASSERT_EQ(check(problem, plan), std::vector<std::string>{})
          << plan.algorithm << " seed " << seed;
      ASSERT_EQ(plan.alone.size(), 3U);
    }
  }
}

TEST(PlannersValid, AClusterThatLeavesTooEarlyGivesNoPlan) {
  WorkflowBuilder builder("w");
  builder.add_task({.id = "long", .time = TimeSpec::amdahl(100, 0.5)});
  const Problem problem({std::move(builder).build()},
                        Platform(0, {{.name = "c", .processors = 4, .leaves = 30'000}}));
  for (const Plan& plan : plan_all(problem)) {
    EXPECT_FALSE(plan.feasible) << plan.algorithm;
    EXPECT_TRUE(plan.placements.empty()) << plan.algorithm;
  }
}

// Plans of random problems, each changed by `tamper`, must be rejected with a violation that
// contains `expected`. `tamper` answers false when a plan offers nothing to change.
template <typename Tamper>
void expect_rejected(Tamper tamper, const std::string& expected) {
  int tried = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Problem problem = random_problem(seed, {.max_tasks = 15});
    Dice dice(seed);
    Plan plan = dovetail::plan(*find_planner("BL_CPAR_BD_CPA"), problem);
    if (!tamper(problem, plan, dice)) continue;
    ++tried;
    const auto violations = check(problem, plan, 1000);
    bool found = false;
    for (const std::string& violation : violations) {
      found = found || violation.find(expected) != std::string::npos;
    }
    ASSERT_TRUE(found) << "seed " << seed << ": no violation with \"" << expected << "\" among "
                       << violations.size();
  }
  EXPECT_GT(tried, 50);
}

Placement& any(Plan& plan, Dice& dice) {
  return plan.placements[static_cast<std::size_t>(
      dice.between(0, static_cast<std::int64_t>(plan.placements.size()) - 1))];
}

TEST(CheckerRejects, AnEarlierStart) {
  expect_rejected(
      [](const Problem&, Plan& plan, Dice& dice) {
        any(plan, dice).start -= dice.between(1, 5000);
        return true;
      },
      "but is planned for");
}

TEST(CheckerRejects, ALaterEnd) {
  expect_rejected(
      [](const Problem&, Plan& plan, Dice& dice) {
        any(plan, dice).end += dice.between(1, 5000);
        return true;
      },
      "but is planned for");
}

TEST(CheckerRejects, AnotherProcessorCount) {
  expect_rejected(
      [](const Problem& problem, Plan& plan, Dice& dice) {
        Placement& placement = any(plan, dice);
        placement.procs = problem.platform().clusters()[0].processors + 1;
        return true;
      },
      "may not run on");
}

TEST(CheckerRejects, FewerProcessorsForTheSameTime) {
  expect_rejected(
      [](const Problem& problem, Plan& plan, Dice& dice) {
        Placement& placement = any(plan, dice);
        if (!problem.allows(0, placement.task, 0, placement.procs - 1)) return false;
        const auto time = problem.time(0, placement.task, 0);
        if (time.duration(placement.procs - 1) == time.duration(placement.procs)) return false;
        --placement.procs;
        return true;
      },
      "but is planned for");
}

TEST(CheckerRejects, ATaskBeforeItsInput) {
  expect_rejected(
      [](const Problem& problem, Plan& plan, Dice&) {
        for (Placement& placement : plan.placements) {
          const auto before = problem.workflows()[0].predecessors(placement.task);
          if (before.empty()) continue;
          const Duration length = placement.end - placement.start;
          placement.start = plan.placements[before[0]].end - 1;
          placement.end = placement.start + length;
          return true;
        }
        return false;
      },
      "but its input from");
}

TEST(CheckerRejects, AStartBeforeNow) {
  expect_rejected(
      [](const Problem& problem, Plan& plan, Dice& dice) {
        Placement& placement = any(plan, dice);
        const Duration length = placement.end - placement.start;
        placement.start = problem.now() - 1;
        placement.end = placement.start + length;
        return true;
      },
      "before now");
}

TEST(CheckerRejects, MoreProcessorsThanReservationsLeave) {
  expect_rejected(
      [](const Problem& problem, Plan& plan, Dice&) {
        const Cluster& cluster = problem.platform().clusters()[0];
        for (const Reservation& reservation : cluster.reservations) {
          if (reservation.end <= problem.now()) continue;
          for (Placement& placement : plan.placements) {
            if (placement.procs + reservation.procs <= cluster.processors) continue;
            const Duration length = placement.end - placement.start;
            placement.start = std::max(problem.now(), reservation.start);
            placement.end = placement.start + length;
            return true;
          }
        }
        return false;
      },
      "processors");
}

TEST(CheckerRejects, AMissingTask) {
  expect_rejected(
      [](const Problem&, Plan& plan, Dice&) {
        plan.placements.pop_back();
        return true;
      },
      "is not planned");
}

TEST(CheckerRejects, ATaskTwice) {
  expect_rejected(
      [](const Problem&, Plan& plan, Dice& dice) {
        const Placement copy = any(plan, dice);
        plan.placements.push_back(copy);
        return true;
      },
      "is planned twice");
}

TEST(CheckerRejects, AnEndAfterTheDeadline) {
  expect_rejected(
      [](const Problem&, Plan& plan, Dice&) {
        plan.deadline = plan.now + makespan(plan) - 1;
        return true;
      },
      "after the deadline");
}

TEST(CheckerRejects, ASummaryThatDoesNotAgreeWithTheTasks) {
  const Problem problem = random_problem(5);
  const PlanRecord good = make_record(problem, plan(*find_planner("BD_CPAR"), problem));
  PlanRecord record = good;
  record.makespan += 1;
  EXPECT_EQ(check(problem, record).size(), 1U);
  record = good;
  record.cpu_hours *= 1.01;
  EXPECT_EQ(check(problem, record).size(), 1U);
  record = good;
  record.turnaround += 1;
  EXPECT_EQ(check(problem, record).size(), 1U);
  record = good;
  record.workflows[0].makespan -= 1;
  EXPECT_EQ(check(problem, record).size(), 1U);
  record = good;
  record.workflows.clear();
  EXPECT_EQ(check(problem, record).size(), 1U);
}

// The only violation, or all of them; "none" when there is none.
std::string verdict(const Problem& problem, const PlanRecord& record) {
  std::string all;
  for (const std::string& violation : check(problem, record)) all += violation + "\n";
  return all.empty() ? "none" : all;
}

TEST(CheckerRejects, FalseClusters) {
  const Problem problem = random_problem(5, {.max_reservations = 20});
  PlanRecord good = make_record(problem, plan(*find_planner("BD_CPAR"), problem));
  ASSERT_EQ(verdict(problem, good), "none");
  ASSERT_FALSE(good.clusters[0].reservations.empty()) << "take another seed";
  PlanRecord record = good;
  record.clusters[0].processors += 1;
  EXPECT_TRUE(verdict(problem, record).starts_with("clusters: the plan says that cluster"));
  record = good;
  record.clusters[0].reservations[0].procs += 1;
  EXPECT_TRUE(verdict(problem, record).starts_with("clusters: the plan shows other reservations"));
  record = good;
  record.clusters[0].reservations.pop_back();
  EXPECT_TRUE(verdict(problem, record).starts_with("clusters: the plan shows other reservations"));
  record = good;
  record.clusters[0].name += "x";
  EXPECT_TRUE(verdict(problem, record).starts_with("clusters: the plan does not have"));
  record = good;
  record.clusters.push_back(record.clusters[0]);
  EXPECT_TRUE(verdict(problem, record).starts_with("clusters: the plan shows more clusters"));
  record = good;
  std::ranges::reverse(record.clusters[0].reservations);
  EXPECT_EQ(verdict(problem, record), "none") << "in any order";
  record.clusters.clear();
  EXPECT_EQ(verdict(problem, record), "none") << "they are optional";
}

TEST(CheckerRejects, AFalseCriticalChain) {
  // a -> b -> d and a -> c -> d, where c is short.
  WorkflowBuilder builder("w");
  for (const auto& [id, seconds] : {std::pair("a", 10), {"b", 10}, {"c", 1}, {"d", 10}}) {
    builder.add_task({.id = id, .time = TimeSpec::fixed(seconds)});
  }
  for (const auto& [from, to] : {std::pair(0U, 1U), {0U, 2U}, {1U, 3U}, {2U, 3U}}) {
    builder.add_edge(from, to);
  }
  const Problem problem({std::move(builder).build()}, Platform::empty(2));
  const PlanRecord good = make_record(problem, plan(*find_planner("BD_CPAR"), problem));
  const auto is_marked = [](const TaskRecord& task) { return task.critical; };
  const auto marked = std::ranges::find_if(good.tasks, is_marked) - good.tasks.begin();
  const auto other = std::ranges::find_if_not(good.tasks, is_marked) - good.tasks.begin();
  ASSERT_EQ(std::pair(marked, other), (std::pair<std::ptrdiff_t, std::ptrdiff_t>(0, 2)));
  for (const auto at : {marked, other}) {
    PlanRecord record = good;
    record.tasks[static_cast<std::size_t>(at)].critical ^= true;
    EXPECT_TRUE(verdict(problem, record).starts_with("critical: the plan says that task"))
        << verdict(problem, record);
  }
  PlanRecord record = good;
  for (TaskRecord& task : record.tasks) task.critical = false;
  EXPECT_EQ(verdict(problem, record), "none") << "marks are optional";
}

// A stretch that a plan without dedicated makespans cannot have.
TEST(CheckerRejects, AStretchWithoutAReason) {
  const Problem problem = random_problem(5);
  const PlanRecord good = make_record(problem, plan(*find_planner("BD_CPAR"), problem));
  PlanRecord record = good;
  record.workflows[0].stretch = 0.5;
  EXPECT_TRUE(verdict(problem, record).starts_with("stretch: the plan says that workflow"));
  record = good;
  record.maximum_stretch = 1;
  EXPECT_TRUE(verdict(problem, record).starts_with("stretch: the plan says that the maximum"));
}

}  // namespace
}  // namespace dovetail
