// The clocks of a run, in milliseconds.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include "dovetail/time.hpp"

namespace dovetail::run {

// Since 1970 by the machine's clock, which may jump: for people.
using WallTime = std::int64_t;

inline WallTime wall_now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

// By a clock that does not jump.
inline std::int64_t steady_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

// Where the time comes from: the machine's clocks, unless a test has its own.
struct ClockSource {
  std::function<WallTime()> wall = wall_now;
  std::function<std::int64_t()> steady = steady_now;
};

// When something happened: by the machine's clock, and by the run's own.
struct Stamp {
  WallTime time = 0;
  Time at = 0;
};

// The run's own clock counts from its beginning and never goes back: for decisions. Between two
// processes that work on the run, the machine's clock says how long the run was left alone.
class RunClock {
 public:
  // Goes on after the last thing that is known to have happened.
  explicit RunClock(Stamp last, ClockSource source = {})
      : source_(std::move(source)),
        offset_(last.at + (last.time == 0 ? 0 : std::max<Time>(0, source_.wall() - last.time)) -
                source_.steady()) {}

  Time now() const { return source_.steady() + offset_; }
  WallTime wall() const { return source_.wall(); }
  Stamp stamp() const { return {wall(), now()}; }

 private:
  ClockSource source_;
  Time offset_;
};

}  // namespace dovetail::run
