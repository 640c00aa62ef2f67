#include "planners/search/known_plans.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "dovetail/metrics.hpp"
#include "planners/list/one_cluster.hpp"
#include "planners/list/pull_forward.hpp"
#include "planners/list/tightest.hpp"
#include "planners/search/frontier_search.hpp"
#include "planners/search/search_clock.hpp"
#include "planners/task_limits.hpp"

namespace dovetail::planning {

namespace {

using IsOver = std::function<bool()>;

bool never() { return false; }

// The plans of all planners for deadlines when `span` is the time allowed from now on, pulled
// forward; stops when time is over.
void offer_at(PlanningContext& context, Frontier& front, Duration span,
              const IsOver& is_over = never) {
  const Problem& problem = context.problem();
  for (const PlannerInfo* planner : planners_for(Goal::deadline, problem)) {
    if (is_over()) return;
    front.offer(pull_forward(problem, plan_by(*planner, context, problem.now() + span)));
  }
}

// The plans of all planners for turn-around, and with `tightest` those for the tightest deadlines.
void offer_earliest(PlanningContext& context, Frontier& front, bool tightest) {
  const Problem& problem = context.problem();
  for (const PlannerInfo* planner : planners_for(Goal::turnaround, problem)) {
    front.offer(plan_by(*planner, context, std::nullopt));
  }
  if (!tightest) return;
  for (Plan& plan : tightest_plans(context)) front.offer(pull_forward(problem, std::move(plan)));
}

// The least consumption of the tasks: a moldable task on its fewest processors, a measured one on
// its cheapest number.
Area least_consumption(const ClusterView& view) {
  Area total = 0;
  for (TaskId task = 0; task < view.size(); ++task) {
    const TaskTime& time = view.time(task);
    Area least = Area{time.min_procs()} * time.duration(time.min_procs());
    if (time.lists_counts()) {
      for (const TimePoint& point : time.points()) {
        if (point.key > view.processors()) continue;
        least = std::min(least, Area{point.key} * time.duration(point.key));
      }
    }
    total += least;
  }
  return total;
}

// Span number `i` of `count` from first to last, evenly spread by ratio.
Duration spread_span(Duration first, Duration last, std::size_t i, std::size_t count) {
  const double ratio = static_cast<double>(last) / static_cast<double>(first);
  const double share = static_cast<double>(i) / static_cast<double>(count - 1);
  return std::llround(static_cast<double>(first) * std::pow(ratio, share));
}

// Tries deadlines, given as the time allowed from now on.
class DeadlineSweep {
 public:
  DeadlineSweep(PlanningContext& context, const FrontierOptions& options, IsOver is_over)
      : context_(context), options_(options), is_over_(std::move(is_over)) {
    // The tightest plans of large workflows may take too long under a time limit.
    offer_earliest(context, front_, !context.options().search.seconds);
  }

  Frontier run() {
    if (!front_.plans().empty()) {
      spread(options_.deadlines - options_.deadlines / 2);
      while (may_go_on() && !is_over_() && refine()) continue;
    }
    // Fewer deadlines may suffice; then the last call reports that all are done.
    if (options_.progress) options_.progress(options_.deadlines, options_.deadlines);
    return std::move(front_);
  }

 private:
  bool may_go_on() const { return tried_.size() < options_.deadlines; }

  void try_span(Duration span) {
    if (!tried_.insert(span).second) return;
    offer_at(context_, front_, span, is_over_);
    if (options_.progress && may_go_on()) options_.progress(tried_.size(), options_.deadlines);
  }

  // Tries deadlines from the earliest end to where nothing can get cheaper, each longer than the
  // one before by the same ratio.
  void spread(std::size_t count) {
    OneCluster& cluster = context_.shared<OneCluster>();
    const Area least = least_consumption(cluster.view());
    const Duration ample = cluster.ample_makespan();
    const Duration first = makespan(front_.plans().front());
    Duration last = first;
    while (last < ample && front_.cheapest_within(last).value() > least && may_go_on()) {
      try_span(last *= 2);
    }
    for (std::size_t i = 0; i < count && may_go_on(); ++i) {
      try_span(spread_span(first, last, i, std::max<std::size_t>(count, 2)));
    }
  }

  // Tries one deadline where the frontier is coarsest: between two deadlines that are far apart in
  // time and in the cost of their cheapest plans. False when no such place is left.
  bool refine() {
    double widest = 0;
    Duration middle = 0;
    for (auto later = std::next(tried_.begin()); later != tried_.end(); ++later) {
      const auto low = static_cast<double>(*std::prev(later));
      const auto high = static_cast<double>(*later);
      const auto dear = static_cast<double>(front_.cheapest_within(*std::prev(later)).value());
      const auto cheap = static_cast<double>(front_.cheapest_within(*later).value());
      const double gap = std::log(high / low) * std::log(dear / cheap);
      if (gap <= widest || high - low < 2) continue;
      widest = gap;
      middle = std::llround(std::sqrt(low * high));
    }
    const bool found = middle != 0 && tried_.count(middle) == 0;
    if (found) try_span(middle);
    return found;
  }

  PlanningContext& context_;
  FrontierOptions options_;
  IsOver is_over_;
  Frontier front_;
  std::set<Duration> tried_;
};

// Tries deadlines near the given one, including slightly later ones, since their plans are pulled
// forward. They are marks on a scale that does not depend on the given deadline, so that the plan
// for a later deadline rarely costs more.
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

// With little search, since another search starts from this frontier.
Frontier quick_frontier(PlanningContext& context) {
  Frontier front = DeadlineSweep(context, {}, never).run();
  PlannerOptions options = context.options();
  const std::size_t tasks = context.problem().task_count();
  options.search.trials =
      std::min(trials_of(options.search, tasks), trials_of({.effort = Effort::quick}, tasks));
  PlanningContext quick(context.problem(), options);
  improve_frontier(quick, front);
  return front;
}

// For several workflows in a plan made for a deadline: the turn-around of each if its planner plans
// it alone and as early as possible.
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

}  // namespace

bool has_deadline_planners(const Problem& problem) {
  return !planners_for(Goal::deadline, problem).empty();
}

Frontier published_frontier(PlanningContext& context, const FrontierOptions& options,
                            IsOver is_over) {
  return DeadlineSweep(context, options, std::move(is_over)).run();
}

Frontier known_plans(PlanningContext& context) {
  const std::size_t tasks = context.problem().task_count();
  const bool by_deadlines = has_deadline_planners(context.problem());
  if (by_deadlines && tasks <= kFewTasks) return quick_frontier(context);
  Frontier known;
  offer_earliest(context, known, by_deadlines && tasks <= kManyTasks);
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

}  // namespace dovetail::planning
