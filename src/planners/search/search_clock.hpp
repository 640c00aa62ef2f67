// How much of a search's time is used. Safe to call from several threads.
#pragma once

#include <atomic>
#include <chrono>

#include "dovetail/search.hpp"

namespace dovetail::planning {

class SearchClock {
 public:
  explicit SearchClock(const SearchLimits& limits) : limits_(limits), start_(read()) {}

  // Whether that share of the time is used.
  bool is_over(double share = 1) const {
    if (!limits_.seconds || read() - start_ < *limits_.seconds * share) return false;
    was_over_ = true;
    return true;
  }

  // The share of the total time that will be used once the given share of the remaining time is.
  double ahead(double share) const {
    if (!limits_.seconds) return share;
    const double used = (read() - start_) / *limits_.seconds;
    return used >= 1 ? 1 : used + share * (1 - used);
  }

  // The share of the time that is left.
  double left() const { return 1 - ahead(0); }

  // Whether anything was given up for lack of time.
  bool was_over() const { return was_over_; }

 private:
  double read() const {
    if (limits_.clock) return limits_.clock();
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  const SearchLimits& limits_;
  double start_;
  mutable std::atomic<bool> was_over_ = false;
};

}  // namespace dovetail::planning
