// Which nodes of a machine are free over time: the calendar of schedulers that give every job
// neighbouring nodes.
//
//   BlockCalendar calendar(128);
//   auto [start, first] = calendar.earliest_fit(16, 3'600'000, 0);   // nodes first .. first + 15
//   calendar.reserve({start, start + 3'600'000}, first, 16);
//
// A value like Calendar, with the same rules for threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dovetail/time.hpp"

namespace dovetail::queue {

// Where a job goes: when, and from which node on (always 0 where only counts matter).
struct BlockSlot {
  Time start = 0;
  Count first = 0;
  friend bool operator==(const BlockSlot&, const BlockSlot&) = default;
};

class BlockCalendar {
 public:
  explicit BlockCalendar(Count nodes, Time origin = 0);

  // The earliest start >= ready at which some block of `nodes` neighbours is free for `length`, and
  // the lowest such block. Needs 1 <= nodes <= all nodes, and bookings that end some day.
  BlockSlot earliest_fit(Count nodes, Duration length, Time ready) const;

  // The lowest block free throughout the window; -1 when there is none.
  Count lowest_block(Interval window, Count nodes) const;

  // Needs the block to be free throughout, or taken throughout.
  void reserve(Interval window, Count first, Count nodes) { set(window, first, nodes, true); }
  void release(Interval window, Count first, Count nodes) { set(window, first, nodes, false); }

  Count free_at(Time t) const;
  std::size_t step_count() const { return times_.size(); }
  void forget_before(Time now);

 private:
  using MaskWord = std::uint64_t;

  std::size_t step_at(Time t) const;
  std::size_t split_at(Time t);
  void set(Interval window, Count first, Count nodes, bool taken);
  const MaskWord* taken(std::size_t step) const { return &taken_[step * words_]; }
  // The lowest run of `nodes` free nodes in a mask of taken ones; -1 when there is none.
  Count lowest_run(const std::vector<MaskWord>& mask, Count nodes) const;
  void merge(std::vector<MaskWord>& mask, std::size_t step) const;

  // Step i lasts from times_[i] to times_[i + 1], the last one for ever; words_ words of taken_ say
  // which nodes are taken meanwhile. Bits beyond the last node are always set.
  Count nodes_;
  std::size_t words_;
  std::vector<Time> times_;
  std::vector<MaskWord> taken_;
};

}  // namespace dovetail::queue
