#include "dovetail/frontier.hpp"

#include <algorithm>

#include "dovetail/metrics.hpp"
#include "planners/search/frontier_search.hpp"
#include "planners/search/known_plans.hpp"
#include "planners/search/search_clock.hpp"

namespace dovetail {

bool Frontier::offer(Plan plan) {
  if (!plan.feasible) return false;
  const Point point{makespan(plan), consumed(plan)};
  const auto later = std::ranges::upper_bound(points_, point.length, {}, &Point::length);
  if (later != points_.begin() && std::prev(later)->area <= point.area) return false;
  // The plans it beats: at most one that is as long and costs more, and longer ones that are no
  // cheaper.
  auto first = later;
  if (first != points_.begin() && std::prev(first)->length == point.length) --first;
  auto last = later;
  while (last != points_.end() && last->area >= point.area) ++last;
  const auto from = plans_.begin() + (first - points_.begin());
  const auto to = plans_.begin() + (last - points_.begin());
  plans_.insert(plans_.erase(from, to), std::move(plan));
  points_.insert(points_.erase(first, last), point);
  return true;
}

std::optional<Area> Frontier::cheapest_within(Duration length) const {
  const auto later = std::ranges::upper_bound(points_, length, {}, &Point::length);
  if (later == points_.begin()) return std::nullopt;
  return std::prev(later)->area;
}

std::vector<Plan> frontier(PlanningContext& context, const FrontierOptions& options) {
  if (!planning::has_deadline_planners(context.problem())) {
    return planning::known_plans(context).plans();
  }
  // Each of these searches gets some of the effort of a single one.
  constexpr planning::FrontierEffort kEffort{.deadlines = 32, .efforts = 8};
  constexpr double kPublishedShare = 0.3;  // of the time
  const planning::SearchClock clock(context.options().search);
  Frontier front = planning::published_frontier(context, options,
                                                [&] { return clock.is_over(kPublishedShare); });
  if (!options.by_search || front.plans().empty()) return front.plans();
  PlannerOptions left = context.options();
  if (left.search.seconds) *left.search.seconds *= clock.left();
  PlanningContext rest(context.problem(), left);
  planning::improve_frontier(rest, front, kEffort);
  std::vector<Plan> plans = front.plans();
  planning::add_certificates(rest, plans);
  return plans;
}

const Plan* last_within(std::span<const Plan> frontier, Duration length) {
  const Plan* last = nullptr;
  for (const Plan& plan : frontier) {
    if (makespan(plan) <= length) last = &plan;
  }
  return last;
}

const Plan* fastest_within(std::span<const Plan> frontier, double hours) {
  const auto found =
      std::ranges::find_if(frontier, [&](const Plan& plan) { return cpu_hours(plan) <= hours; });
  return found == frontier.end() ? nullptr : &*found;
}

}  // namespace dovetail
