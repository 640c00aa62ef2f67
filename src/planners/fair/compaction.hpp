// The last step of every planner for the goal fair: conservative backfilling. Tasks keep their
// processors and move, in the order of their starts, to the earliest place that is free.
//
// If the calendar has room for all old places, no task moves later: the tasks handled before it
// start no later than they did, so its old place is still free. One pass.
#pragma once

#include <optional>

#include "planners/fair/sharing.hpp"

namespace dovetail {

// Equal starts go to the lower workflow, then to the lower task. Old places may ignore
// reservations; then tasks may move later, and the result is nothing when one fits nowhere.
std::optional<SharedSlots> compact(const Sharing& sharing, const SharedSlots& slots);

}  // namespace dovetail
