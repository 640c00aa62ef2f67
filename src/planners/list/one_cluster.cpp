#include "planners/list/one_cluster.hpp"

#include <algorithm>

#include "planners/list/allocate.hpp"
#include "planners/list/cluster_view.hpp"

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
  for (TaskId task = 0; task < slots->size(); ++task) {
    const Slot& slot = (*slots)[task];
    view_.place(plan, task, slot.procs, slot.start, slot.end);
  }
  return plan;
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

auto OneCluster::cpa_for(Count procs, std::optional<TaskProcs>& cached) -> const TaskProcs& {
  if (!cached) cached = cpa_allocation(view_, procs, options_.cpa_stop);
  return *cached;
}

auto OneCluster::clipped(Count procs) const -> TaskProcs {
  TaskProcs allocation(view_.size());
  for (TaskId task = 0; task < view_.size(); ++task) allocation[task] = view_.bounded(task, procs);
  return allocation;
}

auto OneCluster::level_allocation(BottomLevel bottom_level) -> const TaskProcs& {
  switch (bottom_level) {
    case BottomLevel::one:
      if (!one_) one_ = clipped(1);
      return *one_;
    case BottomLevel::all:
      return bounds(Bound::all);
    case BottomLevel::cpa:
      return bounds(Bound::cpa);
    case BottomLevel::cpar:
      break;
  }
  return bounds(Bound::cpar);
}

auto OneCluster::bounds(Bound bound) -> const TaskProcs& {
  switch (bound) {
    case Bound::all:
      if (!all_) all_ = clipped(view_.processors());
      return *all_;
    case Bound::half:
      if (!half_) half_ = clipped(std::max(1, view_.processors() / 2));
      return *half_;
    case Bound::cpa:
      return cpa_for(view_.processors(), cpa_);
    case Bound::cpar:
      break;
  }
  return cpa_for(historical_procs_, cpar_);
}

const std::vector<TaskId>& OneCluster::order(BottomLevel bottom_level) {
  auto& cached = orders_[static_cast<std::size_t>(bottom_level)];
  if (!cached) {
    cached = by_decreasing_level(bottom_levels(view_, level_allocation(bottom_level)));
  }
  return *cached;
}

}  // namespace dovetail::planning
