// Replanning during a run: improves the plan in hand within some milliseconds, with few tasks
// moved.
//
// Published planners start from scratch and often end later than a good plan in hand would; a
// search that starts from that plan never does. What it finds differs from the plan in hand in most
// tasks, usually without any benefit, so those tasks are moved back. The same input gives the same
// result: trials are counted, and no clock is used.
//
//   std::vector<Slot> slots = search_from(context, in_hand, {.stability = 0.1});
//   moved_tasks(in_hand, slots);
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dovetail/planner.hpp"
#include "planners/list/slot.hpp"

namespace dovetail::planning {

// The number of tasks that a plan moves: those with other processors, plus the fewest that must be
// removed for all others to start in the same order as before.
std::size_t moved_tasks(std::span<const Slot> before, std::span<const Slot> after);

struct WarmStart {
  // With a deadline: the least CPU time among plans that meet it; without: the earliest end.
  std::optional<Time> deadline = {};
  // An earlier end is worth nothing, since something else runs until then.
  Time busy_until = kBeginning;
  // The gain required for moving all tasks: a share of the remaining time, or for a deadline of the
  // CPU time.
  double stability = 0;
};

// Slots by task, at least as good as those in hand, which must be a plan for the problem. The CPU
// time of the plan in hand is always allowed, and more up to the context's factor on what
// BL_CPAR_BD_CPAR would use from here. A factor on the plan in hand itself would grow with every
// event. Needs single_cluster_unfit to be empty.
std::vector<Slot> search_from(PlanningContext& context, std::span<const Slot> in_hand,
                              const WarmStart& how);

}  // namespace dovetail::planning
