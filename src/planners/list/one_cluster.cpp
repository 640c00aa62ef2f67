#include "planners/list/one_cluster.hpp"

#include <algorithm>

#include "planners/list/allocate.hpp"
#include "planners/list/cluster_view.hpp"
#include "planners/list/node_placement.hpp"

namespace dovetail::planning {

OneCluster::OneCluster(PlanningContext& context)
    : problem_(context.problem()),
      options_(context.options()),
      view_(problem_),
      historical_procs_(problem_.platform().clusters().front().historical_procs()) {}

Plan OneCluster::to_plan(std::string_view name,
                         const std::optional<std::vector<Slot>>& slots) const {
  Plan plan{.algorithm = std::string(name), .now = now(), .feasible = slots.has_value()};
  if (!slots) return plan;
  plan.placements.reserve(slots->size());
  for (TaskId task = 0; task < slots->size(); ++task) view_.place(plan, task, (*slots)[task]);
  return place_on_nodes(problem_, std::move(plan));
}

Duration OneCluster::shortest_makespan() {
  const auto levels = bottom_levels(view_, bounds(Bound::all));
  return *std::max_element(levels.begin(), levels.end());
}

Duration OneCluster::ample_makespan() const {
  Time last_change = now();
  for (const Step& step : calendar().steps()) last_change = std::max(last_change, step.begin);
  for (TaskId task = 0; task < view_.size(); ++task) {
    last_change = std::max(last_change, view_.release(task));
  }
  Duration span = last_change - now();
  for (TaskId task = 0; task < view_.size(); ++task) {
    span += view_.time(task).duration(view_.time(task).min_procs());
  }
  return span;
}

auto OneCluster::clipped(Count procs) const -> TaskProcs {
  TaskProcs allocation(view_.size());
  for (TaskId task = 0; task < view_.size(); ++task) allocation[task] = view_.bounded(task, procs);
  return allocation;
}

auto OneCluster::level_allocation(BottomLevel bottom_level) -> TaskProcs {
  switch (bottom_level) {
    case BottomLevel::one:
      return clipped(1);
    case BottomLevel::all:
      return bounds(Bound::all);
    case BottomLevel::cpa:
      return bounds(Bound::cpa);
    case BottomLevel::cpar:
      break;
  }
  return bounds(Bound::cpar);
}

auto OneCluster::find_bounds(Bound bound) const -> TaskProcs {
  switch (bound) {
    case Bound::all:
      return clipped(view_.processors());
    case Bound::half:
      return clipped(std::max(1, view_.processors() / 2));
    case Bound::cpa:
      return cpa_allocation(view_, view_.processors(), options_.cpa_stop);
    case Bound::cpar:
      break;
  }
  return cpa_allocation(view_, historical_procs_, options_.cpa_stop);
}

auto OneCluster::bounds(Bound bound) -> const TaskProcs& {
  auto& cached = bounds_[static_cast<std::size_t>(bound)];
  if (!cached) cached = find_bounds(bound);
  return *cached;
}

const std::vector<TaskId>& OneCluster::order(BottomLevel bottom_level) {
  auto& cached = orders_[static_cast<std::size_t>(bottom_level)];
  if (!cached) {
    cached = by_decreasing_level(bottom_levels(view_, level_allocation(bottom_level)));
  }
  return *cached;
}

}  // namespace dovetail::planning
