// Free processors over time for plans made by the thousand: a flat copy of a calendar that is
// filled, reset and filled again without allocating memory. It answers the same queries as
// Calendar, which is better for many steps, few changes, and copies to keep.
//
//   ScratchCalendar line(calendar, now, 2 * tasks);
//   line.reset();
//   if (const auto at = line.earliest_fit(8, length, line.place_of(ready), ready, limit)) {
//     line.reserve(*at, length, 8);
//   }
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dovetail/calendar.hpp"

namespace dovetail::planning {

class ScratchCalendar {
 public:
  // A time, and the step that contains it.
  struct ScratchPlace {
    Time start = 0;
    std::size_t step = 0;
  };

  // Copies the calendar from `origin` on, with room for that many changes.
  ScratchCalendar(const Calendar& calendar, Time origin, std::size_t changes);

  // Restores the initial state.
  void reset();

  // The step that contains a time at or after the origin.
  std::size_t place_of(Time moment) const;

  // The smallest start >= ready, ending by limit, with procs free throughout; `step` contains
  // ready.
  std::optional<ScratchPlace> earliest_fit(Count procs, Duration length, std::size_t step,
                                           Time ready, Time limit) const {
    Time start = ready;
    const Time last = limit - length;
    while (start <= last) {
      std::size_t k = step;
      while (free_[k] >= procs && times_[k + 1] < start + length) ++k;
      if (free_[k] >= procs) return ScratchPlace{start, step};
      do {
        ++k;
        if (times_[k] > last) return std::nullopt;
      } while (free_[k] < procs);
      start = times_[k];
      step = k;
    }
    return std::nullopt;
  }

  // The largest start <= deadline - length at or after ready, with procs free throughout.
  std::optional<ScratchPlace> latest_fit(Count procs, Duration length, Time ready,
                                         Time deadline) const;

  // Needs the processors to be free.
  void reserve(const ScratchPlace& place, Duration length, Count procs) {
    change(place.step, place.start, place.start + length, -procs);
  }

  // Undoes a reserve.
  void release(Interval window, Count procs) {
    change(place_of(window.begin), window.begin, window.end, procs);
  }

 private:
  void change(std::size_t step, Time begin, Time end, Count by);
  void split(std::size_t step, Time at);

  // Step k lasts from times_[k] to times_[k + 1]; the last one ends at kForever, with which the
  // times end.
  std::vector<Time> times_, first_times_;
  std::vector<Count> free_, first_free_;
  std::size_t steps_ = 0;
};

}  // namespace dovetail::planning
