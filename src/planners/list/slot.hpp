// The place of one task: processors, start and end.
#pragma once

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"

namespace dovetail::planning {

struct Slot {
  Count procs = 0;
  Time start = 0;
  Time end = 0;
  friend bool operator==(const Slot&, const Slot&) = default;

  Area area() const { return Area{procs} * (end - start); }
};

// The slot on the only cluster of a problem.
inline Placement placement_at(TaskRef task, const Slot& slot) {
  return {task.workflow, task.task, 0, slot.procs, slot.start, slot.end};
}

}  // namespace dovetail::planning
