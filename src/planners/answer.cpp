#include "dovetail/answer.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>

#include "dovetail/fairness.hpp"
#include "dovetail/frontier.hpp"
#include "dovetail/metrics.hpp"
#include "planners/fair/fair_search.hpp"
#include "planners/list/pull_forward.hpp"
#include "planners/list/tightest.hpp"
#include "planners/search/anytime.hpp"
#include "planners/search/known_plans.hpp"
#include "planners/task_limits.hpp"

namespace dovetail::planning {

namespace {

constexpr std::string_view kSearchName = "DOVETAIL";

using SteadyMoment = std::chrono::steady_clock::time_point;

PlannerOptions with_time_left(PlannerOptions options, SteadyMoment began) {
  const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - began;
  if (options.search.seconds) *options.search.seconds -= gone.count();
  return options;
}

// Without a plan: what was asked for, and what could be had.
Answer missed(const Problem& problem, Plan earliest, std::string_view algorithm = {}) {
  Answer answer{
      .plan = {.algorithm = std::string(algorithm.empty() ? earliest.algorithm : algorithm),
               .now = problem.now(),
               .deadline = problem.deadline(),
               .feasible = false}};
  if (earliest.feasible) answer.earliest = std::move(earliest);
  return answer;
}

// The same for the goal fair; what was found too late is the earliest, or one of the published
// plans is.
Answer missed_fair(PlanningContext& context, std::string_view algorithm,
                   const Plan* late = nullptr) {
  Plan earliest = earliest_fair_plan(context);
  if (late != nullptr && late->feasible &&
      (!earliest.feasible || makespan(*late) < makespan(earliest))) {
    earliest = *late;
  }
  if (!earliest.feasible) earliest = earliest_plan(context, known_plans(context));
  return missed(context.problem(), std::move(earliest), algorithm);
}

// A deadline that is over is not planned for: then the earliest end counts.
std::optional<Time> deadline_ahead(const Problem& problem) {
  const bool is_ahead = problem.goal() == Goal::deadline && *problem.deadline() > problem.now();
  return is_ahead ? problem.deadline() : std::nullopt;
}

// With very many tasks, or within a time limit, the search is on its own; but for a deadline, where
// published plans may be cheaper than all that it finds.
Frontier known_before(PlanningContext& context, std::span<const Plan> begin_with = {}) {
  const Problem& problem = context.problem();
  Frontier known;
  for (const Plan& plan : begin_with) known.offer(plan);
  if (!begin_with.empty()) return known;
  if (!can_search(problem)) return known_for_goal(context);
  if (problem.task_count() > kManyTasks) return known;
  if (!context.options().search.seconds) return known_for_goal(context);
  if (problem.goal() == Goal::deadline) return known_in_time(context, *problem.deadline());
  return known;
}

bool knows_earliest_ways(const PlanningContext& context, const AnswerRequest& request) {
  return request.begin_with.empty() && !context.options().search.seconds &&
         context.problem().task_count() <= kTasksForEarliestWays;
}

// What the answer would be without a limit of CPU time, and with the usual one: so that the
// earliest way is the one that a search at any cost gives, and is never later than that without any
// option.
void offer_earliest_ways(PlanningContext& context, Frontier& known) {
  const Problem& problem = context.problem();
  const SearchLimits& asked = context.options().search;
  PlannerOptions options = context.options();
  options.search.budget.reset();
  options.search.trials =
      std::min(trials_of(asked, problem.task_count()), trials_of({}, problem.task_count()));
  for (const auto factor : {SearchLimits{}.cpu_factor, std::optional<double>{}}) {
    const bool is_asked =
        problem.goal() == Goal::turnaround && !asked.budget && asked.cpu_factor == factor;
    if (is_asked) continue;  // that is searched for anyway
    options.search.cpu_factor = factor;
    PlanningContext other(problem, options);
    known.offer(plan_from(other, std::nullopt, known.plans()));
  }
}

Plan search_in_time_left(PlanningContext& context, SteadyMoment began, const Frontier& known) {
  const Problem& problem = context.problem();
  const auto deadline = problem.goal() == Goal::deadline ? problem.deadline() : std::nullopt;
  if (!context.options().search.seconds) return plan_from(context, deadline, known.plans());
  PlanningContext limited(problem, with_time_left(context.options(), began));
  return plan_from(limited, deadline, known.plans());
}

Plan search_at_any_cost(const PlanningContext& context, SteadyMoment began,
                        std::span<const Plan> known) {
  PlannerOptions options = with_time_left(at_any_cost(context.options()), began);
  PlanningContext free(context.problem(), options);
  return plan_from(free, std::nullopt, known);
}

// With a deadline the cheapest plan in time; a plan made for a tighter deadline meets this one as
// well, and often is cheaper, so that all plans known are looked at.
Answer find_published(PlanningContext& context, const Frontier& known) {
  const Problem& problem = context.problem();
  const bool by_deadline = problem.goal() == Goal::deadline;
  const Plan* cheapest =
      by_deadline ? last_within(known.plans(), *problem.deadline() - problem.now()) : nullptr;
  Answer answer{.plan = cheapest != nullptr ? *cheapest : earliest_plan(context, known)};
  if (!is_in_time(problem, answer.plan)) return missed(problem, std::move(answer.plan));
  answer.plan.deadline = problem.deadline();
  answer.ways = known.plans();
  return answer;
}

Answer find_best(PlanningContext& context, const AnswerRequest& request) {
  const Problem& problem = context.problem();
  const SteadyMoment began = std::chrono::steady_clock::now();
  Frontier known = known_before(context, request.begin_with);
  if (!can_search(problem)) return find_published(context, known);
  if (knows_earliest_ways(context, request)) offer_earliest_ways(context, known);
  Answer answer{.plan = search_in_time_left(context, began, known)};
  if (!is_in_time(problem, answer.plan)) {
    answer.plan = search_at_any_cost(context, began, known.plans());
    // A deadline counts for more than thrift that was not asked for.
    const bool is_too_dear = request.keeps_cpu_limit || problem.goal() == Goal::deadline;
    if (is_too_dear || !problem.deadline() || !is_in_time(problem, answer.plan)) {
      answer = missed(problem, std::move(answer.plan), kSearchName);
      answer.ways = known.plans();
      return answer;
    }
  }
  answer.plan.deadline = problem.deadline();
  if (context.options().search.seconds) return answer;  // too little is known to compare with
  known.offer(answer.plan);
  answer.ways = known.plans();
  return answer;
}

// Unless there are very many tasks: by search, with all published algorithms for comparison.
Answer find_fair(PlanningContext& context) {
  const Problem& problem = context.problem();
  if (problem.task_count() > kManyTasks) {
    Answer answer{.plan = fair_plan(context)};
    return answer.plan.feasible ? answer : missed_fair(context, answer.plan.algorithm);
  }
  std::vector<Plan> plans = plan_all(context);
  const Plan& fairest = plans[fairest_plan(problem, plans)];
  Plan found = plan_fair_search(context, problem.deadline(), plans);
  found.deadline = problem.deadline();
  Answer answer;
  if (is_in_time(problem, found)) {
    answer.plan = found;
    plans.push_back(std::move(found));
  } else {
    answer = fairest.feasible ? Answer{.plan = fairest}
                              : missed_fair(context, fairest.algorithm, &found);
  }
  answer.by_algorithm = std::move(plans);
  return answer;
}

Answer find_by(const PlannerInfo& planner, PlanningContext& context) {
  const Problem& problem = context.problem();
  Answer answer{.plan = plan_by(planner, context, problem.deadline())};
  if (answer.plan.feasible) return answer;
  if (problem.goal() == Goal::fair) return missed_fair(context, planner.name);
  return missed(problem, earliest_plan(context, known_plans(context)), planner.name);
}

// As early as the search can, at any cost.
Plan tightest_by_search(PlanningContext& context, const std::vector<Plan>& tightest,
                        SteadyMoment began) {
  std::vector<Plan> known = known_before(context).plans();
  for (const Plan& plan : tightest) known.push_back(pull_forward(context.problem(), plan));
  Plan plan = search_at_any_cost(context, began, known);
  if (plan.feasible) plan.deadline = plan.now + makespan(plan);
  return plan;
}

Answer find_tightest(PlanningContext& context, const PlannerInfo* planner) {
  const SteadyMoment began = std::chrono::steady_clock::now();
  std::vector<Plan> plans;
  if (planner != nullptr && planner->goal == Goal::deadline) {
    plans.push_back(tightest_plan(*planner, context));
  } else {
    plans = tightest_plans(context);
    if (planner != nullptr) {
      plans = {tightest_by_search(context, plans, began)};
    } else if (can_search(context.problem())) {
      plans.push_back(tightest_by_search(context, plans, began));
    }
  }
  assert(!plans.empty());
  const auto tighter = [](const Plan& a, const Plan& b) {
    if (a.feasible != b.feasible) return a.feasible;
    return a.deadline != b.deadline ? a.deadline < b.deadline : consumed(a) < consumed(b);
  };
  return {.plan = *std::ranges::min_element(plans, tighter), .by_algorithm = std::move(plans)};
}

// In haste: the planner's own plan, or its earliest when that misses the deadline.
Plan quick_plan_by(const PlannerInfo& planner, PlanningContext& context) {
  if (planner.goal != Goal::deadline) return plan_by(planner, context, std::nullopt);
  if (const auto deadline = deadline_ahead(context.problem())) {
    Plan plan = plan_by(planner, context, deadline);
    if (plan.feasible) return plan;
  }
  return tightest_plan(planner, context);
}

std::vector<Plan> known_in_haste(PlanningContext& context, const AnswerRequest& request) {
  const Problem& problem = context.problem();
  if (!request.begin_with.empty()) return {request.begin_with.begin(), request.begin_with.end()};
  if (request.haste == Haste::replanning) {
    const auto deadline = deadline_ahead(problem);
    return (deadline ? known_plans_by(context, *deadline) : known_plans(context)).plans();
  }
  const bool is_quick = problem.task_count() <= kTasksForAllPlanners;
  if (is_quick || problem.goal() != Goal::turnaround) return plan_all(context);
  return {plan_by(*find_planner("BL_CPAR_BD_CPAR"), context, problem.deadline())};
}

// DOVETAIL's quick plan; of a deadline that it cannot meet, the one that ends first.
Plan quick_search(const PlanningContext& context, std::span<const Plan> known) {
  const Problem& problem = context.problem();
  PlannerOptions options = context.options();
  if (!options.search.effort) options.search.effort = Effort::quick;
  options.search.threads = 1;  // more are not worth their start
  PlanningContext quick(problem, options);
  if (const auto deadline = deadline_ahead(problem)) {
    Plan plan = plan_anytime(quick, deadline, known);
    if (plan.feasible) return plan;
  }
  return plan_anytime(quick, std::nullopt, known);
}

Answer find_in_haste(PlanningContext& context, const AnswerRequest& request) {
  const Problem& problem = context.problem();
  Plan plan = request.algorithm != nullptr ? quick_plan_by(*request.algorithm, context)
              : problem.goal() == Goal::fair
                  ? fair_plan(context)
                  : quick_search(context, known_in_haste(context, request));
  if (!is_in_time(problem, plan)) return missed(problem, std::move(plan));
  plan.deadline = problem.deadline();
  return {.plan = std::move(plan)};
}

Answer find_for_person(PlanningContext& context, const AnswerRequest& request) {
  const PlannerInfo* planner = request.algorithm;
  if (planner != nullptr && planner->name != kSearchName) return find_by(*planner, context);
  if (planner == nullptr && context.problem().goal() == Goal::fair) return find_fair(context);
  Answer answer = find_best(context, request);
  const std::size_t tasks = context.problem().task_count();
  answer.has_earliest_way = knows_earliest_ways(context, request) &&
                            trials_of(context.options().search, tasks) <= trials_of({}, tasks);
  return answer;
}

}  // namespace

}  // namespace dovetail::planning

namespace dovetail {

bool is_in_time(const Problem& problem, const Plan& plan) {
  return plan.feasible &&
         (!problem.deadline() || problem.now() + makespan(plan) <= *problem.deadline());
}

Answer find_answer(PlanningContext& context, const AnswerRequest& request) {
  assert(request.algorithm != nullptr || !fitting_planners(context.problem()).empty());
  if (request.tightest) return planning::find_tightest(context, request.algorithm);
  return request.haste == Haste::none ? planning::find_for_person(context, request)
                                      : planning::find_in_haste(context, request);
}

}  // namespace dovetail
