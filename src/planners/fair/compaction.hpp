// The last step of every planner for the goal fair: conservative backfilling. Tasks keep their
// processors and move, in the order of their starts, to the earliest place that is free.
//
// Where the calendar has room for all the old places, no task moves later: those handled before it
// start no later than they did, so that its old place is still free. One pass.
#pragma once

#include <optional>

#include "planners/fair/sharing.hpp"

namespace dovetail {

// Ties of starts go to the lower workflow, then to the lower task. Old places may be drawn as if
// there were no reservations; then tasks may move later, and nothing is the answer when one
// fits nowhere.
std::optional<SharedSlots> compact(const Sharing& sharing, const SharedSlots& slots);

}  // namespace dovetail
