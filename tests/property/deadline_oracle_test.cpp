// The deadline planners against a plain reading of the specification, task by task.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"
#include "oracles/plain_deadline.hpp"
#include "planners/list/deadline.hpp"
#include "support/random_problem.hpp"

namespace dovetail {
namespace {

using testing::Dice;
using testing::random_problem;
using testing::RandomProblemOptions;

constexpr std::array kNames = {"DL_BD_ALL",  "DL_BD_CPA",         "DL_BD_CPAR",         "DL_RC_CPA",
                               "DL_RC_CPAR", "DL_RC_CPAR-lambda", "DL_RCBD_CPAR-lambda"};
constexpr std::array kConservative = {"DL_RC_CPA", "DL_RC_CPAR", "DL_RC_CPAR-lambda",
                                      "DL_RCBD_CPAR-lambda"};

// What a sample contained, so that a test can see that it was not empty.
struct Sample {
  int met = 0;
  int missed = 0;
  int between = 0;  // met with a lambda above 0 and below 1
  int at_one = 0;   // met with lambda 1
};

// From before the critical path to ample time, for the problem as `context` sees it.
std::vector<Time> deadlines(PlanningContext& context, std::uint64_t seed) {
  const Problem& problem = context.problem();
  const Plan fastest = plan_by(*find_planner("BL_CPAR_BD_CPAR"), context, std::nullopt);
  const auto turnaround = static_cast<double>(makespan(fastest));
  std::vector<Time> answer;
  for (const double factor : {0.9, 1.0, 1.05, 1.3, 2.5}) {
    answer.push_back(problem.now() + static_cast<Time>(factor * turnaround));
  }
  answer.push_back(problem.now() + plain::DeadlinePlanner(problem, "DL_BD_ALL").critical_path());
  Dice dice(seed);
  for (const double factor : {1.2, 4.0}) {
    answer.push_back(problem.now() + static_cast<Time>(dice.real(0, factor) * turnaround));
  }
  return answer;
}

void count(const plain::DeadlinePlan& plan, Sample& sample) {
  ++(plan.feasible() ? sample.met : sample.missed);
  const int twentieths = plan.twentieths.value_or(0);
  sample.between += twentieths > 0 && twentieths < 20;
  sample.at_one += twentieths == 20;
}

void expect_same(const Plan& ours, const plain::DeadlinePlan& expected) {
  ASSERT_EQ(ours.feasible, expected.feasible());
  ASSERT_EQ(ours.deadline, expected.deadline);
  ASSERT_EQ(ours.lambda.has_value(), expected.twentieths.has_value());
  if (ours.lambda) {
    ASSERT_DOUBLE_EQ(*ours.lambda, *expected.twentieths / 20.0);
  }
  ASSERT_EQ(ours.placements.size(), expected.slots.size());
  for (const Placement& placement : ours.placements) {
    const plain::Slot& slot = expected.slots[placement.task];
    ASSERT_EQ(placement.start, slot.start) << "task " << placement.task;
    ASSERT_EQ(placement.end, slot.end) << "task " << placement.task;
    ASSERT_EQ(placement.procs, slot.procs) << "task " << placement.task;
  }
}

template <typename Names>
void expect_same_plans(const Problem& problem, std::uint64_t seed, Sample& sample,
                       const Names& names, const PlannerOptions& options = {}) {
  PlanningContext context(problem, options);
  const std::vector<Time> tried = deadlines(context, seed);
  for (const char* name : names) {
    const plain::DeadlinePlanner oracle(problem, name, options);
    for (const Time deadline : tried) {
      const auto expected = oracle.plan(deadline);
      count(expected, sample);
      SCOPED_TRACE(std::string(name) + " seed " + std::to_string(seed) + " allowed " +
                   std::to_string(deadline - problem.now()));
      expect_same(plan_by(*find_planner(name), context, deadline), expected);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

// All of a range of seeds.
template <typename Names>
Sample compare(std::uint64_t first, std::uint64_t last, const RandomProblemOptions& problems,
               const Names& names, const PlannerOptions& options = {}) {
  Sample sample;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    expect_same_plans(random_problem(seed, problems), seed, sample, names, options);
    if (::testing::Test::HasFatalFailure()) break;
  }
  return sample;
}

void expect_both_answers(const Sample& sample) {
  EXPECT_GT(sample.met, 100);
  EXPECT_GT(sample.missed, 100);
}

TEST(DeadlineOracle, MoldableTasksAsSpecified) {
  const Sample sample = compare(1, 2500, {.all_models = false}, kNames);
  expect_both_answers(sample);
  EXPECT_GT(sample.between, 20);
}

TEST(DeadlineOracle, FixedAndMeasuredTasksToo) {
  const Sample sample = compare(10'001, 11'000, {}, kNames);
  expect_both_answers(sample);
  EXPECT_GT(sample.between, 10);
}

TEST(DeadlineOracle, TiesOfMillisecondTasks) {
  const Sample sample = compare(20'001, 21'000, {.max_processors = 40, .tiny_times = true}, kNames);
  expect_both_answers(sample);
  EXPECT_GT(sample.between, 10);
}

TEST(DeadlineOracle, LargerProblemsWhereThePassesDiffer) {
  const RandomProblemOptions large{.max_tasks = 60, .max_processors = 300, .max_reservations = 60};
  const Sample sample = compare(30'001, 30'150, large, kNames);
  expect_both_answers(sample);
  EXPECT_GT(sample.between, 20);
  EXPECT_GT(sample.at_one, 0);
}

TEST(DeadlineOracle, ClustersThatJoinLateAndLeave) {
  Sample sample;
  for (std::uint64_t seed = 40'001; seed <= 40'400; ++seed) {
    const Problem whole = random_problem(seed);
    Dice dice(seed);
    Cluster cluster = whole.platform().clusters()[0];
    cluster.reservations.clear();
    cluster.joins = whole.now() + dice.between(-1000, 60'000);
    cluster.leaves = std::max(cluster.joins, whole.now()) + dice.between(1, 400'000);
    const Problem problem({whole.workflows()[0]}, Platform(whole.now(), {cluster}));
    PlanningContext context(problem);
    for (const char* name : kNames) {
      const plain::DeadlinePlanner oracle(problem, name);
      for (const Duration allowed : {20'000, 100'000, 300'000, 1'000'000}) {
        const auto expected = oracle.plan(problem.now() + allowed);
        count(expected, sample);
        expect_same(plan_by(*find_planner(name), context, problem.now() + allowed), expected);
        ASSERT_FALSE(HasFatalFailure()) << name << " seed " << seed << " allowed " << allowed;
      }
    }
  }
  expect_both_answers(sample);
}

TEST(DeadlineOracle, GuideOfTheUnplacedTasksMappedAnew) {
  const PlannerOptions options{.guide = GuideReading::whole};
  expect_both_answers(compare(50'001, 50'400, {}, kConservative, options));
  expect_both_answers(
      compare(51'001, 51'300, {.all_models = false, .tiny_times = true}, kConservative, options));
  expect_both_answers(
      compare(52'001, 52'030, {.max_tasks = 40, .max_processors = 80}, kConservative, options));
}

TEST(DeadlineOracle, GuideOfTheUnplacedTasksAllocatedAnew) {
  const PlannerOptions options{.guide = GuideReading::remaining};
  expect_both_answers(compare(60'001, 60'400, {}, kConservative, options));
  expect_both_answers(
      compare(61'001, 61'300, {.all_models = false, .tiny_times = true}, kConservative, options));
  expect_both_answers(
      compare(62'001, 62'020, {.max_tasks = 40, .max_processors = 80}, kConservative, options));
}

TEST(DeadlineOracle, AggressiveChoicesWithinTheShareAndTheClassicStop) {
  expect_both_answers(compare(70'001, 70'300, {}, kConservative, {.fallback = Fallback::share}));
  expect_both_answers(compare(71'001, 71'300, {}, kNames, {.cpa_stop = CpaStop::classic}));
}

// The readings must differ somewhere, or the tests above would compare one with itself.
TEST(DeadlineOracle, ReadingsOfTheGuideGiveDifferentPlans) {
  int whole_differs = 0;
  int remaining_differs = 0;
  for (std::uint64_t seed = 50'001; seed <= 50'400; ++seed) {
    const Problem problem = random_problem(seed);
    PlanningContext context(problem);
    PlanningContext whole(problem, {.guide = GuideReading::whole});
    PlanningContext remaining(problem, {.guide = GuideReading::remaining});
    const PlannerInfo& planner = *find_planner("DL_RC_CPAR");
    for (const Time deadline : deadlines(context, seed)) {
      const Plan usual = plan_by(planner, context, deadline);
      whole_differs += usual != plan_by(planner, whole, deadline);
      remaining_differs += usual != plan_by(planner, remaining, deadline);
    }
  }
  EXPECT_GT(whole_differs, 10);
  EXPECT_GT(remaining_differs, 10);
}

void expect_same_slots(const Plan& a, const Plan& b) {
  EXPECT_EQ(a.feasible, b.feasible);
  EXPECT_EQ(a.placements, b.placements);
}

TEST(DeadlineLambda, EndsOfTheScaleAreTheAlgorithmsWithoutLambda) {
  constexpr planning::DeadlineRule kUnbounded{planning::Guide::cpar, planning::Bound::all, true};
  constexpr planning::DeadlineRule kBounded{planning::Guide::cpar, planning::Bound::cpar, true};
  for (std::uint64_t seed = 80'001; seed <= 80'600; ++seed) {
    const Problem problem = random_problem(seed, {.max_tasks = 20, .tiny_times = seed % 3 == 0});
    PlanningContext context(problem);
    planning::DeadlinePlanner& planner = context.shared<planning::DeadlinePlanner>();
    const auto named = [&](const char* name, Time deadline) {
      return plan_by(*find_planner(name), context, deadline);
    };
    for (const Time deadline : deadlines(context, seed)) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      expect_same_slots(planner.plan_at(kUnbounded, deadline, 0), named("DL_RC_CPAR", deadline));
      expect_same_slots(planner.plan_at(kUnbounded, deadline, 20), named("DL_BD_ALL", deadline));
      expect_same_slots(planner.plan_at(kBounded, deadline, 20), named("DL_BD_CPAR", deadline));
      if (HasFailure()) return;
    }
  }
}

TEST(DeadlineLambda, EveryPassAsSpecified) {
  constexpr planning::DeadlineRule kUnbounded{planning::Guide::cpar, planning::Bound::all, true};
  constexpr planning::DeadlineRule kBounded{planning::Guide::cpar, planning::Bound::cpar, true};
  for (std::uint64_t seed = 81'001; seed <= 81'150; ++seed) {
    const Problem problem = random_problem(seed, {.max_tasks = 20, .tiny_times = seed % 3 == 0});
    PlanningContext context(problem);
    planning::DeadlinePlanner& planner = context.shared<planning::DeadlinePlanner>();
    const plain::DeadlinePlanner unbounded(problem, "DL_RC_CPAR-lambda");
    const plain::DeadlinePlanner bounded(problem, "DL_RCBD_CPAR-lambda");
    for (const Time deadline : deadlines(context, seed)) {
      for (int twentieths = 0; twentieths <= 20; ++twentieths) {
        Plan ours = planner.plan_at(kUnbounded, deadline, twentieths);
        Plan ours_bounded = planner.plan_at(kBounded, deadline, twentieths);
        for (Plan* plan : {&ours, &ours_bounded}) {
          plan->deadline = deadline;
          plan->lambda.reset();
        }
        expect_same(ours, unbounded.plan_at(deadline, twentieths));
        expect_same(ours_bounded, bounded.plan_at(deadline, twentieths));
        ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << " twentieths " << twentieths;
      }
    }
  }
}

}  // namespace
}  // namespace dovetail
