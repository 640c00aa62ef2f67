#include "planners/turnaround.hpp"

#include <algorithm>

#include "planners/allocate.hpp"
#include "planners/levels.hpp"
#include "planners/place.hpp"

namespace dovetail {

namespace {

Plan to_plan(const ClusterView& view, Time now, std::string_view name,
             const std::optional<std::vector<Slot>>& slots) {
  Plan plan{.algorithm = std::string(name), .now = now, .feasible = slots.has_value()};
  if (!slots) return plan;
  plan.placements.reserve(slots->size());
  for (TaskId task = 0; task < slots->size(); ++task) {
    const Slot& slot = (*slots)[task];
    view.place(plan, task, slot.procs, slot.start, slot.end);
  }
  return plan;
}

}  // namespace

TurnaroundPlanner::TurnaroundPlanner(const Problem& problem, const PlannerOptions& options)
    : problem_(problem),
      options_(options),
      view_(problem),
      historical_procs_(problem.platform().clusters().front().historical_procs()) {}

Plan TurnaroundPlanner::plan(BottomLevel bottom_level, Bound bound, std::string_view name) {
  const auto slots = place_forward(view_, order(bottom_level), bounds(bound),
                                   problem_.platform().calendar(0), problem_.now());
  return to_plan(view_, problem_.now(), name, slots);
}

Plan TurnaroundPlanner::plan_cpa(std::string_view name) {
  const auto slots = place_fixed(view_, order(BottomLevel::cpa), cpa(),
                                 problem_.platform().calendar(0), problem_.now());
  return to_plan(view_, problem_.now(), name, slots);
}

auto TurnaroundPlanner::cpa_for(Count procs, std::optional<Allocation>& cached)
    -> const Allocation& {
  if (!cached) cached = cpa_allocation(view_, procs, options_.cpa_stop);
  return *cached;
}

auto TurnaroundPlanner::clipped(Count procs) const -> Allocation {
  Allocation allocation(view_.size());
  for (TaskId task = 0; task < view_.size(); ++task) allocation[task] = view_.bounded(task, procs);
  return allocation;
}

auto TurnaroundPlanner::level_allocation(BottomLevel bottom_level) -> const Allocation& {
  switch (bottom_level) {
    case BottomLevel::one:
      if (!one_) one_ = clipped(1);
      return *one_;
    case BottomLevel::all:
      return bounds(Bound::all);
    case BottomLevel::cpa:
      return cpa();
    case BottomLevel::cpar:
      break;
  }
  return cpar();
}

auto TurnaroundPlanner::bounds(Bound bound) -> const Allocation& {
  switch (bound) {
    case Bound::all:
      if (!all_) all_ = clipped(view_.processors());
      return *all_;
    case Bound::half:
      if (!half_) half_ = clipped(std::max(1, view_.processors() / 2));
      return *half_;
    case Bound::cpa:
      return cpa();
    case Bound::cpar:
      break;
  }
  return cpar();
}

const std::vector<TaskId>& TurnaroundPlanner::order(BottomLevel bottom_level) {
  auto& cached = orders_[static_cast<std::size_t>(bottom_level)];
  if (!cached) {
    cached = by_decreasing_level(bottom_levels(view_, level_allocation(bottom_level)));
  }
  return *cached;
}

}  // namespace dovetail
