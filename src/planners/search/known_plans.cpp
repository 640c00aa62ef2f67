#include "planners/search/known_plans.hpp"

#include <algorithm>
#include <cmath>

#include "dovetail/metrics.hpp"
#include "planners/list/one_cluster.hpp"
#include "planners/list/pull_forward.hpp"
#include "planners/list/tightest.hpp"
#include "planners/search/frontier_search.hpp"
#include "planners/search/published_frontier.hpp"
#include "planners/search/search_clock.hpp"
#include "planners/task_limits.hpp"

namespace dovetail {

namespace {

// Of several workflows in a plan made for a deadline: the turn-around of each if its planner had it
// alone and as early as it can.
std::vector<Duration> tightest_alone(const Plan& plan, const PlanningContext& context) {
  std::vector<Duration> alone;
  const Problem& problem = context.problem();
  if (problem.workflows().size() == 1) return alone;
  for (const Workflow& workflow : problem.workflows()) {
    const Problem single({workflow}, problem.platform());
    PlanningContext own(single, context.options());
    const PlannerInfo& planner = *find_planner(plan.algorithm);
    const Plan earliest = planner.goal == Goal::deadline
                              ? pull_forward(single, tightest_plan(planner, own))
                              : plan_by(planner, own, std::nullopt);
    alone.push_back(makespan(single, earliest, 0));
  }
  return alone;
}

// Looks at deadlines near one: a little later ones too, since their plans are pulled forward. They
// are marks on a scale that does not depend on the one asked for, so that asking for a later one
// rarely costs more.
void look_closer(PlanningContext& context, Frontier& known, Duration allowed,
                 const IsOver& is_over = never) {
  constexpr double kRatio = 1.01;
  const auto shortest = static_cast<double>(shortest_makespan(context));
  const auto mark_below = [&](double span) {
    return std::max(0, static_cast<int>(std::floor(std::log(span / shortest) / std::log(kRatio))));
  };
  // Beyond the ample makespan nothing changes.
  const Duration ample = context.shared<OneCluster>().ample_makespan();
  const auto span = static_cast<double>(std::min(allowed, ample));
  const int last = mark_below(span * 1.1);
  for (int mark = mark_below(span / 1.35); mark <= last; ++mark) {
    offer_at(context, known, std::llround(shortest * std::pow(kRatio, mark)), is_over);
  }
}

// With little search, as somebody waits for something else.
Frontier quick_frontier(PlanningContext& context) {
  Frontier front = published_frontier(context, {});
  PlannerOptions options = context.options();
  const std::size_t tasks = context.problem().task_count();
  options.search.trials =
      std::min(trials_of(options.search, tasks), trials_of({.effort = Effort::quick}, tasks));
  PlanningContext quick(context.problem(), options);
  improve_frontier(quick, front);
  return front;
}

}  // namespace

Frontier known_plans(PlanningContext& context) {
  const std::size_t tasks = context.problem().task_count();
  if (!has_deadline_planners(context.problem())) {
    Frontier known;
    offer_earliest(context, known, false);
    return known;
  }
  if (tasks <= kFewTasks) return quick_frontier(context);
  Frontier known;
  offer_earliest(context, known, tasks <= kManyTasks);
  return known;
}

Frontier known_plans_by(PlanningContext& context, Time deadline) {
  const Problem& problem = context.problem();
  if (!has_deadline_planners(problem)) return known_plans(context);
  const Duration allowed = deadline - problem.now();
  Frontier known;
  if (problem.task_count() <= kManyTasks) {
    known = quick_frontier(context);
    if (allowed >= shortest_makespan(context)) look_closer(context, known, allowed);
  } else {
    offer_earliest(context, known, false);
  }
  offer_at(context, known, allowed);
  return known;
}

Frontier known_in_time(PlanningContext& context, Time deadline) {
  constexpr double kShare = 0.2;  // the search needs the rest
  const Problem& problem = context.problem();
  const Duration allowed = deadline - problem.now();
  const SearchClock clock(context.options().search);
  const auto is_over = [&] { return clock.is_over(kShare); };
  Frontier known;
  if (!has_deadline_planners(problem) || allowed < shortest_makespan(context)) return known;
  offer_at(context, known, allowed, is_over);
  look_closer(context, known, allowed, is_over);
  return known;
}

Frontier known_for_goal(PlanningContext& context) {
  const Problem& problem = context.problem();
  return problem.goal() == Goal::deadline ? known_plans_by(context, *problem.deadline())
                                          : known_plans(context);
}

Plan earliest_plan(PlanningContext& context, const Frontier& known) {
  if (known.plans().empty()) return {.now = context.problem().now(), .feasible = false};
  Plan plan = known.plans().front();
  plan.deadline.reset();
  if (plan.alone.empty()) plan.alone = tightest_alone(plan, context);
  return plan;
}

}  // namespace dovetail
