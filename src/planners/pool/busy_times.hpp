// The busy times of one resource that runs one task at a time.
#pragma once

#include <algorithm>
#include <vector>

#include "dovetail/time.hpp"

namespace dovetail {

class Lane {
 public:
  // Empties it; nothing is free before `begin`.
  void clear(Time begin) {
    begin_ = begin;
    taken_.clear();
  }

  // The earliest start at or after `ready` of a free piece of this length.
  Time first_fit(Time ready, Duration length) const {
    Time start = std::max(ready, begin_);
    if (taken_.empty() || taken_.back().end <= start) return start;
    auto next = std::upper_bound(taken_.begin(), taken_.end(), start,
                                 [](Time t, const Interval& piece) { return t < piece.end; });
    for (; next != taken_.end() && next->begin < start + length; ++next) start = next->end;
    return start;
  }

  // The end of the last planned piece.
  Time last_end() const { return taken_.empty() ? begin_ : taken_.back().end; }

  // Needs the piece to be free. Neighbours become one piece.
  void take(Interval piece) {
    const auto next =
        std::upper_bound(taken_.begin(), taken_.end(), piece.begin,
                         [](Time t, const Interval& other) { return t < other.begin; });
    const bool joins_before = next != taken_.begin() && std::prev(next)->end == piece.begin;
    const bool joins_next = next != taken_.end() && next->begin == piece.end;
    if (joins_before && joins_next) {
      std::prev(next)->end = next->end;
      taken_.erase(next);
    } else if (joins_before) {
      std::prev(next)->end = piece.end;
    } else if (joins_next) {
      next->begin = piece.begin;
    } else {
      taken_.insert(next, piece);
    }
  }

 private:
  Time begin_ = 0;
  std::vector<Interval> taken_;  // apart from each other, in order of time
};

}  // namespace dovetail
