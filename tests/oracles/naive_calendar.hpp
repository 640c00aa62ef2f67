// The calendar as an array by the tick: slow, and simple enough to be right by reading it.
//
// It knows ticks 0 .. horizon-1 one by one; the last of them stands for all time after it, so a
// change point may lie at any tick below the horizon and nowhere else.
//
//   NaiveCalendar naive(200, 16);   // 200 ticks, 16 processors free
//   naive.add({10, 20}, -4);
//   naive.earliest_fit(14, 5, 8);   // 20
#pragma once

#include <algorithm>
#include <optional>
#include <ostream>
#include <vector>

#include "dovetail/calendar.hpp"

namespace dovetail {

// GoogleTest shows a step this way.
inline void PrintTo(const Step& step, std::ostream* out) {
  *out << '[' << step.begin << ", " << step.end << "): " << step.free;
}

}  // namespace dovetail

namespace dovetail::testing {

class NaiveCalendar {
 public:
  NaiveCalendar(Time horizon, Count capacity, Time origin = 0)
      : origin_(origin), free_(static_cast<std::size_t>(horizon), capacity) {}

  Time origin() const { return origin_; }
  Time horizon() const { return static_cast<Time>(free_.size()); }

  Count free_at(Time t) const {
    if (t < origin_) return 0;
    return free_[static_cast<std::size_t>(std::min(t, horizon() - 1))];
  }

  Count min_free(Interval window) const {
    if (window.begin >= window.end) return kMaxProcessors;
    Count least = free_at(window.begin);
    for (Time t = window.begin; t < std::min(window.end, horizon()); ++t) {
      least = std::min(least, free_at(t));
    }
    return least;
  }

  bool fits(Interval window, Count procs) const {
    if (window.begin >= window.end || procs <= 0) return true;
    for (Time t = window.begin; t < std::min(window.end, horizon()); ++t) {
      if (free_at(t) < procs) return false;
    }
    return free_at(window.end - 1) >= procs;
  }

  // Beyond the horizon every start is as good as the horizon itself, so no later one is tried.
  std::optional<Time> earliest_fit(Count procs, Duration length, Time ready, Time limit) const {
    const Time first = std::max(ready, origin_);
    for (Time start = first; start <= std::max(first, horizon()); ++start) {
      if (start + length > limit) return std::nullopt;
      if (fits({start, start + length}, procs)) return start;
    }
    return std::nullopt;
  }

  // A start beyond the horizon that fails does so for all of them: the next to try is the horizon.
  std::optional<Time> latest_fit(Count procs, Duration length, Time ready, Time deadline) const {
    Time start = deadline - length;
    while (start >= std::max(ready, origin_)) {
      if (fits({start, start + length}, procs)) return start;
      start = std::min(start - 1, horizon());
    }
    return std::nullopt;
  }

  // The window must end within the horizon.
  double mean_free(Interval window) const {
    double sum = 0;
    for (Time t = window.begin; t < window.end; ++t) sum += free_at(t);
    return sum / static_cast<double>(window.end - window.begin);
  }

  std::vector<Step> steps(Interval window) const {
    std::vector<Step> result;
    for (Time t = window.begin; t < std::min(window.end, horizon()); ++t) {
      if (result.empty() || result.back().free != free_at(t)) {
        result.push_back({t, t + 1, free_at(t)});
      }
      result.back().end = t + 1;
    }
    if (!result.empty() && window.end > horizon()) result.back().end = window.end;
    return result;
  }

  void add(Interval window, Count change) {
    for (Time t = std::max(window.begin, origin_); t < std::min(window.end, horizon()); ++t) {
      free_[static_cast<std::size_t>(t)] += change;
    }
  }

  void set_capacity(Interval window, Count capacity) {
    for (Time t = std::max(window.begin, origin_); t < std::min(window.end, horizon()); ++t) {
      free_[static_cast<std::size_t>(t)] = capacity;
    }
  }

  bool reserve_all(const std::vector<Booking>& bookings) {
    NaiveCalendar changed = *this;
    for (const Booking& booking : bookings) {
      if (!changed.fits(booking.window, booking.procs)) return false;
      changed.add(booking.window, -booking.procs);
    }
    *this = changed;
    return true;
  }

  void forget_before(Time now) { origin_ = std::max(origin_, now); }

  friend bool operator==(const NaiveCalendar& a, const NaiveCalendar& b) {
    return a.origin_ == b.origin_ &&
           a.steps({a.origin_, kForever}) == b.steps({b.origin_, kForever});
  }

 private:
  Time origin_;
  std::vector<Count> free_;
};

}  // namespace dovetail::testing
