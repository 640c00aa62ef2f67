// A progress bar for work that takes a while.
#pragma once

#include <chrono>
#include <cstddef>

namespace dovetail::cli {

// A bar with the time left, redrawn at most five times a second, and only when standard error is a
// terminal. Work of less than a second shows none.
class ProgressBar {
 public:
  void operator()(std::size_t done, std::size_t total);

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point drawn_ = {};
};

}  // namespace dovetail::cli
