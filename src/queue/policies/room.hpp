// What a batch scheduler may give away: nodes over time, by count or as blocks of neighbours, and
// under a cap on the jobs that one user runs at once.
//
//   Room room({.nodes = 128});
//   const BlockSlot slot = room.earliest({.nodes = 16, .length = 3'600'000}, now);
//   room.take(ask, slot);
//
// A value: copies are cheap where only counts matter.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "dovetail/calendar.hpp"
#include "dovetail/platform.hpp"
#include "queue/policies/block_calendar.hpp"
#include "queue/policies/job.hpp"

namespace dovetail::queue {

struct RoomSpec {
  Count nodes = 1;
  bool contiguous = false;  // a job needs neighbouring nodes
  Count cap = 0;            // jobs of a known user at once; 0: no limit
};

class Room {
 public:
  explicit Room(const RoomSpec& spec, std::span<const Reservation> reservations = {},
                Time origin = 0);

  // By count, with this much free.
  Room(Count nodes, Calendar free) : nodes_(nodes), cap_(0), free_(std::move(free)) {}

  Count nodes() const { return nodes_; }

  // The earliest place at or after `ready`. Needs 1 <= ask.nodes <= nodes() and a length above 0.
  BlockSlot earliest(const Ask& ask, Time ready) const;

  // The place that begins right at `start`; nothing when there is none.
  std::optional<BlockSlot> at(const Ask& ask, Time start) const;

  // Needs the place to be free.
  void take(const Ask& ask, const BlockSlot& slot);

  // Gives back what a job that was taken in holds from `from` on.
  void give_back(const Ask& ask, const BlockSlot& slot, Time from);

  // Moves a job that was taken in to the earliest place at or after `now` that it could have if it
  // were not there itself, and answers that place. Never later than where it was.
  BlockSlot move_up(const Ask& ask, const BlockSlot& slot, Time now);

  Count free_at(Time t) const;

  // Nothing before `now` will be asked or changed any more.
  void advance(Time now);

 private:
  Calendar* lane(const Ask& ask);
  BlockSlot earliest_nodes(const Ask& ask, Time ready) const;
  void add(const Ask& ask, const BlockSlot& slot, Interval window, bool take);

  Count nodes_;
  Count cap_;
  std::variant<Calendar, BlockCalendar> free_;
  std::uint32_t advances_ = 0;
  std::map<std::int64_t, Calendar> lanes_;  // by user: how many more jobs may run, with a cap only
};

// A queue as a newcomer sees it: all jobs in front have a place, and run as long as requested.

struct Outlook {
  Room room;            // with the places of all jobs taken
  Time not_before = 0;  // a newcomer starts no earlier

  Time earliest_start(const Ask& ask, Time now) const {
    return room.earliest(ask, now < not_before ? not_before : now).start;
  }
};

// Gives each waiting job, in the order of the queue, the earliest place that is left; `in_turn`
// lets none start before the one in front of it.
Outlook plan_queue(Room running, std::span<const Ask> waiting, Time now, bool in_turn);

}  // namespace dovetail::queue
