// List placement on a calendar by insertion: tasks may fill holes between reservations.
//
// The functions for one task consider all its allowed processor counts up to `bound` (its least
// count is always allowed), and return nothing when it fits nowhere. One sweep over the calendar's
// steps covers all counts at once, so the cost does not depend on the bound.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "dovetail/calendar.hpp"
#include "planners/list/cluster_view.hpp"
#include "planners/list/slot.hpp"

namespace dovetail::planning {

// The slot in which the task ends earliest, starting at `ready` or later. Equal ends go to the
// fewest processors.
std::optional<Slot> earliest_completion(const Calendar& calendar, const TaskTime& time, Count bound,
                                        Time ready);

// The slot in which the task starts latest, within the window. Equal starts go to the fewest
// processors.
std::optional<Slot> latest_start(const Calendar& calendar, const TaskTime& time, Count bound,
                                 Interval window);

// The slot with the fewest processors within the window, at its latest start.
std::optional<Slot> fewest_processors(const Calendar& calendar, const TaskTime& time, Count bound,
                                      Interval window);

// When the task may start: after its release and after the tasks before it, which have slots.
inline Time ready_time(const ClusterView& view, TaskId task, std::span<const Slot> slots) {
  Time ready = view.release(task);
  for (const TaskId before : view.workflow().predecessors(task)) {
    ready = std::max(ready, slots[before].end);
  }
  return ready;
}

// When the task must have ended: by `end` and before the tasks after it, which have slots.
inline Time due_time(const ClusterView& view, TaskId task, std::span<const Slot> slots, Time end) {
  for (const TaskId after : view.workflow().successors(task)) {
    end = std::min(end, slots[after].start);
  }
  return end;
}

// Places the tasks in order, each at its earliest completion after its predecessors, within its
// bound, and books it. Returns one slot per task; nothing when a task fits nowhere. `order` must be
// topological.
std::optional<std::vector<Slot>> place_forward(const ClusterView& view,
                                               std::span<const TaskId> order,
                                               std::span<const Count> bounds, Calendar calendar);

// The same with given processors.
std::optional<std::vector<Slot>> place_fixed(const ClusterView& view, std::span<const TaskId> order,
                                             std::span<const Count> allocation, Calendar calendar);

}  // namespace dovetail::planning
