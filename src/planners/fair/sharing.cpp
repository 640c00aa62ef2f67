#include "planners/fair/sharing.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/order.hpp"
#include "dovetail/fairness.hpp"
#include "planners/list/allocate.hpp"
#include "planners/list/cluster_view.hpp"
#include "planners/list/earliest_slot.hpp"
#include "planners/list/node_placement.hpp"

namespace dovetail::planning {

namespace {

std::vector<Count> sizes_for(const Calendar& calendar, Time now, Count processors) {
  constexpr std::size_t kMost = 8;
  std::vector<Count> free;
  for (const Step& step : calendar.steps({now, kForever})) {
    if (step.free > 0 && step.free < processors) free.push_back(step.free);
  }
  std::ranges::sort(free, std::greater<>());
  const auto repeated = std::ranges::unique(free);
  free.erase(repeated.begin(), repeated.end());
  std::vector<Count> sizes{processors};
  const std::size_t stride = std::max<std::size_t>(1, (free.size() + kMost - 1) / kMost);
  for (std::size_t i = 0; i < free.size(); i += stride) sizes.push_back(free[i]);
  std::ranges::reverse(sizes);
  return sizes;
}

}  // namespace

Sharing::Sharing(PlanningContext& context)
    : problem_(context.problem()),
      cpa_stop_(context.options().cpa_stop),
      sizes_(sizes_for(calendar(), now(), processors())) {
  for (std::size_t i = 0; i < problem_.workflows().size(); ++i) {
    Member member{.view = ClusterView(problem_, i), .ready = problem_.ready(i)};
    for (TaskId task = 0; task < member.view.size(); ++task) {
      member.needs = std::max(member.needs, member.view.time(task).min_procs());
    }
    possible_ = choose_alone(member) && possible_;
    members_.push_back(std::move(member));
  }
  set_due_lengths();
}

// Takes the allocation that ends first; ties go to the one for more processors.
bool Sharing::choose_alone(Member& member) const {
  std::optional<Member> best;
  for (const Count procs : sizes_) {
    Member tried = member;
    tried.allocation = cpa_allocation(tried.view, procs, cpa_stop_);
    tried.levels = bottom_levels(tried.view, tried.allocation);
    const auto slots =
        place_fixed(tried.view, by_decreasing_level(tried.levels), tried.allocation, calendar());
    if (!slots) continue;
    tried.alone = std::ranges::max(*slots, {}, &Slot::end).end - tried.ready;
    if (!best || tried.alone <= best->alone) best = std::move(tried);
  }
  if (best) member = std::move(*best);
  return best.has_value();
}

void Sharing::set_due_lengths() {
  const auto weight = [&](std::size_t i) { return problem_.workflows()[i].terms().weight; };
  double heaviest = 0;
  for (std::size_t i = 0; i < size(); ++i) heaviest = std::max(heaviest, weight(i));
  for (std::size_t i = 0; i < size(); ++i) {
    Member& member = members_[i];
    member.due_length = member.alone;
    if (weight(i) == heaviest) continue;
    const double length = static_cast<double>(member.alone) * (heaviest / weight(i));
    constexpr Duration kLongest = kForever / 4;
    member.due_length =
        static_cast<Duration>(std::ceil(std::min(length, static_cast<double>(kLongest))));
  }
}

std::vector<TaskRef> Sharing::tasks() const {
  std::vector<TaskRef> tasks;
  for (std::uint32_t i = 0; i < size(); ++i) {
    for (TaskId task = 0; task < members_[i].view.size(); ++task) tasks.push_back({i, task});
  }
  return tasks;
}

std::vector<std::size_t> Sharing::by_due_length() const {
  return order_by<std::size_t>(size(), [&](std::size_t i) { return members_[i].due_length; });
}

Plan Sharing::to_plan(std::string_view name, const std::optional<SharedSlots>& slots) const {
  Plan plan{.algorithm = std::string(name), .now = now(), .feasible = slots.has_value()};
  if (!slots) return plan;
  for (const TaskRef ref : tasks()) {
    plan.placements.push_back(placement_at(ref, (*slots)[ref.workflow][ref.task]));
  }
  for (const Member& member : members_) plan.alone.push_back(member.alone);
  return place_on_nodes(problem_, std::move(plan));
}

Plan Sharing::fairest_of(std::vector<Plan> plans) const {
  return std::move(plans[fairest_plan(problem_, plans)]);
}

}  // namespace dovetail::planning
