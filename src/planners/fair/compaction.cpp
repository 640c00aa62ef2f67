#include "planners/fair/compaction.hpp"

#include <algorithm>

#include "planners/list/earliest_slot.hpp"

namespace dovetail {

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

}  // namespace dovetail
