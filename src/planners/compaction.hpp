// The last step of every planner for the goal fair: conservative backfilling. Tasks keep their
// processors and move, in the order of their starts, to the earliest place that is free.
//
// No task moves later: those handled before it start no later than they did, so that its old place
// is still free. One pass.
#pragma once

#include <optional>

#include "planners/sharing.hpp"

namespace dovetail {

enum class Places {
  booked,  // free in the cluster's calendar
  drawn    // as if nobody else had reserved anything: tasks may have to move later
};

// Ties of starts go to the lower workflow, then to the lower task. Nothing when a task that was
// only drawn fits nowhere.
std::optional<SharedSlots> compact(const Sharing& sharing, const SharedSlots& slots, Places places);

}  // namespace dovetail
