// Planning again in the middle of things: from the plan in hand to a better one within some
// milliseconds, with few tasks moved.
//
// Published planners begin anew and often end later than a good plan in hand would as it goes on;
// a search that begins with that plan never does. What it finds differs from the plan in hand in
// most tasks, and in most of them for nothing: those are brought back. The same question has the
// same answer: trials are counted, there is no clock.
//
//   std::vector<Slot> slots = search_from(context, in_hand, {.stability = 0.1});
//   moved_tasks(in_hand, slots);
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dovetail/planner.hpp"
#include "planners/list/slot.hpp"

namespace dovetail {

// How many tasks a plan moves: those with other processors, and the fewest besides that had to be
// taken out for all others to start in the same order as before.
std::size_t moved_tasks(std::span<const Slot> before, std::span<const Slot> after);

struct WarmStart {
  // With one: the least CPU time among plans in time, else the earliest end.
  std::optional<Time> deadline = {};
  // An end before that is worth nothing, since something else goes on until then.
  Time busy_until = kBeginning;
  // What moving all tasks has to gain: a share of the time that is left, or for a deadline of the
  // CPU time.
  double stability = 0;
};

// Slots, by task, at least as good as those in hand, which must be a plan for the problem. As much
// CPU time as the plan in hand is always allowed, more up to the context's factor on what
// BL_CPAR_BD_CPAR would use from here: a factor on the plan in hand itself would grow with every
// event. Needs single_cluster_unfit to be empty.
std::vector<Slot> search_from(PlanningContext& context, std::span<const Slot> in_hand,
                              const WarmStart& how);

}  // namespace dovetail
