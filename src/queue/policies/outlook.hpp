// A queue as a newcomer sees it: everybody in front has a place, and runs as long as requested.
#pragma once

#include <span>

#include "queue/policies/room.hpp"

namespace dovetail {

struct Outlook {
  Room room;            // with everybody's place taken
  Time not_before = 0;  // a newcomer starts no earlier

  Time earliest_start(const Ask& ask, Time now) const {
    return room.earliest(ask, now < not_before ? not_before : now).start;
  }
};

// Gives each waiting job, in the order of the queue, the earliest place that is left; `in_turn`
// lets none start before the one in front of it.
Outlook plan_queue(Room running, std::span<const Ask> waiting, Time now, bool in_turn);

}  // namespace dovetail
