// The calendar as most people would first write it: a std::map from change point to free
// processors, walked step by step. Tests use it as a twin for calendars too large for an array by
// the tick, benchmarks as the thing to beat.
//
//   MapCalendar twin(128);
//   twin.add({0, 3'600'000}, -10);
//   twin.earliest_fit(120, 60'000, 0);   // 3'600'000
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "dovetail/calendar.hpp"

namespace dovetail::testing {

class MapCalendar {
 public:
  explicit MapCalendar(Count capacity, Time origin = 0) { free_[origin] = capacity; }

  Time origin() const { return free_.begin()->first; }
  std::size_t step_count() const { return free_.size(); }
  const std::map<Time, Count>& changes() const { return free_; }

  bool fits(Interval window, Count procs) const {
    if (window.begin < origin()) return false;
    for (auto it = step_at(window.begin); it != free_.end() && it->first < window.end; ++it) {
      if (it->second < procs) return false;
    }
    return true;
  }

  // Needs length > 0.
  std::optional<Time> earliest_fit(Count procs, Duration length, Time ready, Time limit) const {
    Time start = std::max(ready, origin());
    for (auto it = step_at(start); it != free_.end() && it->first < start + length; ++it) {
      if (it->second >= procs) continue;
      if (std::next(it) == free_.end()) return std::nullopt;
      start = std::next(it)->first;
    }
    if (start + length > limit) return std::nullopt;
    return start;
  }

  // Needs length > 0.
  std::optional<Time> latest_fit(Count procs, Duration length, Time ready, Time deadline) const {
    ready = std::max(ready, origin());
    Time end = deadline;
    if (end - length < ready) return std::nullopt;
    for (auto it = step_at(end - 1);; --it) {
      if (it->second < procs) end = it->first;
      if (end - length < ready) return std::nullopt;
      if (it->first <= end - length) return end - length;
    }
  }

  void add(Interval window, Count change) {
    const auto last = split_at(window.end);
    const auto first = split_at(window.begin);
    for (auto it = first; it != last; ++it) it->second += change;
    join_at(last);
    join_at(first);
  }

  void set_capacity(Interval window, Count capacity) {
    const auto last = split_at(window.end);
    const auto first = split_at(window.begin);
    first->second = capacity;
    free_.erase(std::next(first), last);
    join_at(last);
    join_at(first);
  }

  void forget_before(Time now) { free_.erase(free_.begin(), split_at(now)); }

 private:
  std::map<Time, Count>::const_iterator step_at(Time t) const {
    return std::prev(free_.upper_bound(t));
  }

  std::map<Time, Count>::iterator split_at(Time t) {
    if (t >= kForever) return free_.end();
    const auto next = free_.upper_bound(t);
    const auto step = std::prev(next);
    return step->first == t ? step : free_.emplace_hint(next, t, step->second);
  }

  void join_at(std::map<Time, Count>::iterator it) {
    if (it == free_.end() || it == free_.begin()) return;
    if (std::prev(it)->second == it->second) free_.erase(it);
  }

  std::map<Time, Count> free_;
};

}  // namespace dovetail::testing
