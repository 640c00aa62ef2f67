// Which plan is given: for each goal and limit, when none can be had, and in haste.
#include "dovetail/answer.hpp"

#include <gtest/gtest.h>

#include <string>

#include "dovetail/check.hpp"
#include "dovetail/fairness.hpp"
#include "dovetail/metrics.hpp"
#include "planners/list/tightest.hpp"
#include "planners/task_limits.hpp"
#include "support/random_problem.hpp"

namespace dovetail::planning {
namespace {

constexpr Duration kHour = 3'600'000;

// Small searches: what is tested is which ones are made.
PlannerOptions few_trials() { return {.search = {.trials = 300}}; }

// So many moldable tasks side by side, each of an hour on one processor.
Workflow bag_of(std::size_t tasks, const std::string& name = "bag") {
  WorkflowBuilder builder(name);
  for (std::size_t i = 0; i < tasks; ++i) {
    builder.add_task({.id = "t" + std::to_string(i), .time = TimeSpec::amdahl(3600, 0.1)});
  }
  return std::move(builder).build();
}

Platform cluster_of(Count processors) {
  return Platform(0, {{.name = "c", .processors = processors}});
}

// Six tasks on four processors: 2 h is the least with one processor each.
Problem six_tasks(Goal goal = Goal::turnaround, std::optional<Time> deadline = {}) {
  return Problem({bag_of(6)}, cluster_of(4), goal, deadline);
}

Problem two_workflows(std::optional<Time> deadline = {}) {
  return Problem({bag_of(3, "a"), bag_of(5, "b")}, cluster_of(4), Goal::fair, deadline);
}

Answer answer_of(const Problem& problem, const AnswerRequest& request = {},
                 const PlannerOptions& options = few_trials()) {
  PlanningContext context(problem, options);
  Answer answer = find_answer(context, request);
  if (answer.plan.feasible) {
    EXPECT_EQ(check(problem, answer.plan), std::vector<std::string>{});
    EXPECT_EQ(answer.earliest, std::nullopt);
    EXPECT_EQ(answer.best_effort(), answer.plan);
  } else {
    EXPECT_TRUE(answer.plan.placements.empty());
  }
  return answer;
}

void expect_frontier(const std::vector<Plan>& ways) {
  for (std::size_t i = 1; i < ways.size(); ++i) {
    EXPECT_LT(makespan(ways[i - 1]), makespan(ways[i]));
    EXPECT_GT(consumed(ways[i - 1]), consumed(ways[i]));
  }
}

TEST(Answer, IsNeverLaterThanAPublishedPlanThatIsNoDearer) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = testing::random_problem(seed);
    const Answer answer = answer_of(problem);
    ASSERT_TRUE(answer.plan.feasible);
    EXPECT_EQ(answer.plan.algorithm, "DOVETAIL");
    for (const Plan& plan : plan_all(problem)) {
      if (!plan.feasible || consumed(plan) > consumed(answer.plan)) continue;
      EXPECT_LE(makespan(answer.plan), makespan(plan)) << plan.algorithm;
    }
    expect_frontier(answer.ways);
    EXPECT_TRUE(answer.has_earliest_way);
    EXPECT_LE(makespan(answer.ways.front()), makespan(answer.plan));
  }
}

TEST(Answer, MeetsADeadlineWithTheFewestCpuHours) {
  const Problem loose = six_tasks(Goal::deadline, 2 * kHour);
  const Answer answer = answer_of(loose);
  ASSERT_TRUE(answer.plan.feasible);
  EXPECT_EQ(answer.plan.deadline, 2 * kHour);
  EXPECT_LE(makespan(answer.plan), 2 * kHour);
  EXPECT_EQ(consumed(answer.plan), 6 * kHour);  // one processor each
  const Answer early = answer_of(six_tasks());
  EXPECT_LT(makespan(early.plan), makespan(answer.plan));
  EXPECT_GT(consumed(early.plan), consumed(answer.plan));
}

TEST(Answer, OfAnImpossibleDeadlineIsTheEarliestEnd) {
  const Problem problem = six_tasks(Goal::deadline, kHour);
  const Answer answer = answer_of(problem);
  ASSERT_FALSE(answer.plan.feasible);
  EXPECT_EQ(answer.plan.algorithm, "DOVETAIL");
  EXPECT_EQ(answer.plan.deadline, kHour);
  ASSERT_TRUE(answer.earliest);
  EXPECT_FALSE(is_in_time(problem, *answer.earliest));
  EXPECT_EQ(answer.best_effort(), *answer.earliest);
  // What it offers instead can be had.
  const Answer later = answer_of(six_tasks(Goal::deadline, makespan(*answer.earliest)));
  EXPECT_TRUE(later.plan.feasible);
}

TEST(Answer, KeepsABudgetAndSaysWhatIsNeeded) {
  PlannerOptions options = few_trials();
  options.search.budget = 7 * kHour;
  const Answer within = answer_of(six_tasks(), {.keeps_cpu_limit = true}, options);
  ASSERT_TRUE(within.plan.feasible);
  EXPECT_LE(consumed(within.plan), 7 * kHour);

  options.search.budget = 5 * kHour;  // less than one processor each
  const Answer beyond = answer_of(six_tasks(), {.keeps_cpu_limit = true}, options);
  ASSERT_FALSE(beyond.plan.feasible);
  ASSERT_TRUE(beyond.earliest);
  EXPECT_TRUE(is_in_time(six_tasks(), *beyond.earliest));
  ASSERT_FALSE(beyond.ways.empty());
  EXPECT_EQ(consumed(beyond.ways.back()), 6 * kHour);
}

// Turn-around with a deadline: the usual limit of CPU time gives way, one that was asked for stays.
TEST(Answer, ExceedsTheUsualCpuLimitForADeadlineOnly) {
  PlannerOptions free = few_trials();
  free.search.cpu_factor.reset();
  const Duration fastest = makespan(answer_of(six_tasks(), {}, free).plan);
  PlannerOptions thrifty = few_trials();
  thrifty.search.cpu_factor = 1;
  const Duration cheap = makespan(answer_of(six_tasks(), {}, thrifty).plan);
  ASSERT_LT(fastest, cheap);
  const Problem urgent = six_tasks(Goal::turnaround, fastest);
  EXPECT_TRUE(answer_of(urgent, {}, thrifty).plan.feasible);
  const Answer strict = answer_of(urgent, {.keeps_cpu_limit = true}, thrifty);
  EXPECT_FALSE(strict.plan.feasible);
  EXPECT_TRUE(is_in_time(urgent, strict.best_effort()));
}

TEST(Answer, IsFairWithEveryAlgorithmBesideIt) {
  const Problem problem = two_workflows();
  const Answer answer = answer_of(problem);
  ASSERT_TRUE(answer.plan.feasible);
  EXPECT_EQ(answer.plan.algorithm, "DOVETAIL_FAIR");
  ASSERT_EQ(answer.by_algorithm.size(), plan_all(problem).size() + 1);
  const Fairness given = measure_fairness(problem, answer.plan);
  const Fairness mags =
      measure_fairness(problem, plan(*find_planner("MAGS"), problem, few_trials()));
  EXPECT_LE(given.maximum_stretch, mags.maximum_stretch);
  EXPECT_LE(given.average_stretch, mags.average_stretch);

  const Answer late = answer_of(two_workflows(kHour));
  EXPECT_FALSE(late.plan.feasible);
  ASSERT_TRUE(late.earliest);
  EXPECT_GT(makespan(*late.earliest), kHour);
  EXPECT_FALSE(late.by_algorithm.empty());
}

TEST(Answer, OfANamedAlgorithmIsItsOwnPlan) {
  const Problem problem = six_tasks(Goal::deadline, 3 * kHour);
  for (const char* name : {"BL_1_BD_ALL", "DL_RC_CPAR", "CPA"}) {
    const PlannerInfo& planner = *find_planner(name);
    const Answer answer = answer_of(problem, {.algorithm = &planner});
    EXPECT_EQ(answer.plan, plan(planner, problem)) << name;
    EXPECT_TRUE(answer.ways.empty());
  }
  const Answer late =
      answer_of(six_tasks(Goal::deadline, kHour), {.algorithm = find_planner("DL_BD_ALL")});
  EXPECT_FALSE(late.plan.feasible);
  EXPECT_EQ(late.plan.algorithm, "DL_BD_ALL");
  EXPECT_TRUE(late.earliest);
  const Problem free = six_tasks();
  EXPECT_EQ(answer_of(free, {.algorithm = find_planner("DOVETAIL")}).plan, answer_of(free).plan);
}

TEST(Answer, HasTheTightestDeadlineOfAll) {
  const Problem problem = six_tasks();
  const Answer answer = answer_of(problem, {.tightest = true});
  PlanningContext context(problem, few_trials());
  std::vector<Plan> published = planning::tightest_plans(context);
  ASSERT_EQ(answer.by_algorithm.size(), published.size() + 1);
  EXPECT_TRUE(
      std::ranges::equal(published, std::span(answer.by_algorithm).first(published.size())));
  for (const Plan& plan : answer.by_algorithm) EXPECT_LE(answer.plan.deadline, plan.deadline);
  EXPECT_EQ(answer.plan.deadline, makespan(answer.plan));

  const PlannerInfo& planner = *find_planner("DL_RC_CPA");
  const Answer named = answer_of(problem, {.algorithm = &planner, .tightest = true});
  EXPECT_EQ(named.plan, planning::tightest_plan(planner, context));
  EXPECT_EQ(named.by_algorithm, std::vector{named.plan});
}

TEST(Answer, OfVeryManyTasksIsTheSearchAlone) {
  const Problem problem({bag_of(planning::kManyTasks + 1)}, cluster_of(64));
  const Answer answer = answer_of(problem, {}, {.search = {.trials = 3}});
  ASSERT_TRUE(answer.plan.feasible);
  EXPECT_EQ(answer.ways, std::vector{answer.plan});
  EXPECT_FALSE(answer.has_earliest_way);
}

TEST(Answer, OfMoreThanAFewTasksDoesNotPromiseTheEarliestWay) {
  const Problem problem({bag_of(planning::kTasksForEarliestWays + 1)}, cluster_of(64));
  EXPECT_FALSE(answer_of(problem, {}, {.search = {.trials = 3}}).has_earliest_way);
}

TEST(Answer, BeginsWithThePlansThatAreGiven) {
  const Problem problem = six_tasks();
  const std::vector<Plan> good{answer_of(problem).plan};
  const PlannerOptions hardly{.search = {.trials = 1}};
  for (const Haste haste : {Haste::none, Haste::replanning, Haste::running}) {
    const Answer answer = answer_of(problem, {.haste = haste, .begin_with = good}, hardly);
    ASSERT_TRUE(answer.plan.feasible);
    EXPECT_LE(makespan(answer.plan), makespan(good.front()));
    EXPECT_LE(answer.ways.size(), 2U);
    EXPECT_FALSE(answer.has_earliest_way);
  }
}

TEST(Answer, StaysWithinTheTimeLimit) {
  double seconds = 0;
  PlannerOptions options;
  options.search.seconds = 0.5;
  options.search.clock = [&] { return seconds += 0.001; };
  const Answer answer = answer_of(six_tasks(Goal::deadline, 2 * kHour), {}, options);
  EXPECT_TRUE(answer.plan.feasible);
  EXPECT_TRUE(answer.ways.empty());  // too little is known to compare with
}

// A late plan is an answer for who executes all the same, and none for who begins a run.
TEST(HastyAnswer, TellsWhatIsLateFromWhatIsImpossible) {
  const Problem problem = six_tasks(Goal::deadline, kHour);
  for (const Haste haste : {Haste::replanning, Haste::running}) {
    const Answer answer = answer_of(problem, {.haste = haste});
    EXPECT_FALSE(answer.plan.feasible);
    ASSERT_TRUE(answer.earliest);
    EXPECT_EQ(check(six_tasks(), answer.best_effort()), std::vector<std::string>{});
  }
  const PlannerInfo& planner = *find_planner("DL_RC_CPAR");
  const Answer named = answer_of(problem, {.algorithm = &planner, .haste = Haste::replanning});
  PlanningContext context(problem, few_trials());
  EXPECT_FALSE(named.plan.feasible);
  EXPECT_EQ(named.best_effort(), planning::tightest_plan(planner, context));
}

TEST(HastyAnswer, OfADeadlineThatIsOverEndsAsEarlyAsWithoutOne) {
  const Problem over({bag_of(6)}, Platform(kHour, {{.name = "c", .processors = 4}}), Goal::deadline,
                     kHour / 2);
  const Problem free({bag_of(6)}, Platform(kHour, {{.name = "c", .processors = 4}}));
  const Answer answer = answer_of(over, {.haste = Haste::replanning});
  EXPECT_EQ(answer.best_effort().placements,
            answer_of(free, {.haste = Haste::replanning}).plan.placements);
}

TEST(HastyAnswer, IsFairByAPublishedAlgorithm) {
  const Problem problem = two_workflows();
  PlanningContext context(problem, few_trials());
  for (const Haste haste : {Haste::replanning, Haste::running}) {
    EXPECT_EQ(answer_of(problem, {.haste = haste}).plan, fair_plan(context));
  }
}

TEST(HastyAnswer, OfManyTasksBeginsWithTheThriftyPlanAlone) {
  const Problem problem({bag_of(planning::kTasksForAllPlanners + 1)}, cluster_of(64));
  const PlannerOptions hardly{.search = {.trials = 1}};
  const Answer answer = answer_of(problem, {.haste = Haste::running}, hardly);
  ASSERT_TRUE(answer.plan.feasible);
  EXPECT_LE(makespan(answer.plan), makespan(plan(*find_planner("BL_CPAR_BD_CPAR"), problem)));
}

}  // namespace
}  // namespace dovetail::planning
