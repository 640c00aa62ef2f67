// The calendar as two flat sorted arrays: the simplest structure that is fast, and the one that
// the calendar's own structure has to justify itself against.
//
//   FlatCalendar flat(128);
//   flat.add({0, 3'600'000}, -10);
//   flat.earliest_fit(120, 60'000, 0, kForever);   // 3'600'000
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "dovetail/calendar.hpp"

namespace dovetail::bench {

class FlatCalendar {
 public:
  explicit FlatCalendar(Count capacity) : times_{0}, free_{capacity} {}

  std::size_t step_count() const { return times_.size(); }

  std::optional<Time> earliest_fit(Count procs, Duration length, Time ready, Time limit) const {
    Time start = std::max(ready, times_[0]);
    for (std::size_t i = step_at(start); i < times_.size() && times_[i] < start + length; ++i) {
      if (free_[i] >= procs) continue;
      if (i + 1 == times_.size()) return std::nullopt;
      start = times_[i + 1];
    }
    if (start + length > limit) return std::nullopt;
    return start;
  }

  std::optional<Time> latest_fit(Count procs, Duration length, Time ready, Time deadline) const {
    Time end = deadline;
    if (end - length < ready) return std::nullopt;
    for (std::size_t i = step_at(end - 1);; --i) {
      if (free_[i] < procs) end = times_[i];
      if (end - length < ready) return std::nullopt;
      if (times_[i] <= end - length) return end - length;
    }
  }

  void add(Interval window, Count change) {
    const std::size_t first = split_at(window.begin);
    const std::size_t last = split_at(window.end);
    for (std::size_t i = first; i < last; ++i) free_[i] += change;
    join_at(last);
    join_at(first);
  }

  // Calls visit(begin, free) for each step from `from` on.
  template <typename Visit>
  void sweep(Time from, const Visit& visit) const {
    for (std::size_t i = step_at(from); i < times_.size(); ++i) visit(times_[i], free_[i]);
  }

 private:
  std::size_t step_at(Time t) const {
    return static_cast<std::size_t>(std::upper_bound(times_.begin(), times_.end(), t) -
                                    times_.begin()) -
           1;
  }

  std::size_t split_at(Time t) {
    const std::size_t i = step_at(t);
    if (times_[i] == t) return i;
    const auto next = static_cast<std::ptrdiff_t>(i) + 1;
    times_.insert(times_.begin() + next, t);
    free_.insert(free_.begin() + next, free_[i]);
    return i + 1;
  }

  void join_at(std::size_t i) {
    if (i == 0 || free_[i] != free_[i - 1]) return;
    times_.erase(times_.begin() + static_cast<std::ptrdiff_t>(i));
    free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  std::vector<Time> times_;
  std::vector<Count> free_;
};

}  // namespace dovetail::bench
