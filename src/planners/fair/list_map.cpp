#include "planners/fair/list_map.hpp"

#include <algorithm>

#include "planners/list/earliest_slot.hpp"

namespace dovetail::planning {

namespace {

// Takes `procs` processors up to `end`, from the beginning on, or all where fewer are free. The
// task itself begins at `start`.
void take_up_to(Calendar& calendar, Time start, Time end, Count procs) {
  std::vector<Step> before;
  for (const Step& step : calendar.steps({kBeginning, start})) {
    if (step.free > 0) before.push_back(step);
  }
  for (const Step& step : before) {
    calendar.reserve({step.begin, step.end}, std::min(procs, step.free));
  }
  calendar.reserve({start, end}, procs);
}

}  // namespace

std::optional<SharedSlots> list_map(const Sharing& sharing, std::span<const TaskRef> list,
                                    const std::vector<std::vector<Count>>& allocations) {
  Calendar calendar = sharing.calendar();
  SharedSlots slots;
  for (const Member& member : sharing.members()) slots.emplace_back(member.view.size());
  for (const TaskRef ref : list) {
    const ClusterView& view = sharing.members()[ref.workflow].view;
    std::vector<Slot>& own = slots[ref.workflow];
    const Count procs = allocations[ref.workflow][ref.task];
    const Duration length = view.time(ref.task).duration(procs);
    const auto start = calendar.earliest_fit(procs, length, ready_time(view, ref.task, own));
    if (!start) return std::nullopt;
    own[ref.task] = {procs, *start, *start + length};
    take_up_to(calendar, *start, *start + length, procs);
  }
  return slots;
}

Plan plan_list(const Sharing& sharing, std::string_view name, std::span<const TaskRef> list,
               const std::vector<std::vector<Count>>& allocations) {
  const auto slots = list_map(sharing, list, allocations);
  return sharing.to_plan(name, slots ? compact(sharing, *slots) : slots);
}

std::optional<SharedSlots> compact(const Sharing& sharing, const SharedSlots& slots) {
  const auto slot_of = [&](TaskRef ref) { return slots[ref.workflow][ref.task]; };
  std::vector<TaskRef> order = sharing.tasks();
  std::ranges::stable_sort(order, {}, [&](TaskRef ref) { return slot_of(ref).start; });
  Calendar calendar = sharing.calendar();
  SharedSlots moved = slots;
  for (const TaskRef ref : order) {
    const ClusterView& view = sharing.members()[ref.workflow].view;
    const Slot old = slot_of(ref);
    const Duration length = old.end - old.start;
    const Time ready = ready_time(view, ref.task, moved[ref.workflow]);
    const auto start = calendar.earliest_fit(old.procs, length, ready);
    if (!start) return std::nullopt;
    moved[ref.workflow][ref.task] = {old.procs, *start, *start + length};
    calendar.reserve({*start, *start + length}, old.procs);
  }
  return moved;
}

}  // namespace dovetail::planning
