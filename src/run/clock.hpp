// The clocks of a run, in milliseconds.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

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

// When something happened: by the machine's clock, and by the run's own.
struct Stamp {
  WallTime time = 0;
  Time at = 0;
};

// The run's own clock counts from its beginning and never goes back: for decisions. Between two
// processes that work on the run only the machine's clock knows how long nobody did.
class RunClock {
 public:
  // Goes on after the last thing that is known to have happened.
  explicit RunClock(Stamp last)
      : offset_(last.at + (last.time == 0 ? 0 : std::max<Time>(0, wall_now() - last.time)) -
                steady_now()) {}

  Time now() const { return steady_now() + offset_; }
  Stamp stamp() const { return {wall_now(), now()}; }

 private:
  Time offset_;
};

}  // namespace dovetail::run
