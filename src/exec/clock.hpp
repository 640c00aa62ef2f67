// The two clocks of a run, in milliseconds.
#pragma once

#include <chrono>
#include <cstdint>

namespace dovetail::exec {

// Since 1970 by the machine's clock, which may jump: for people.
using WallTime = std::int64_t;

inline WallTime wall_now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

// By a clock that does not jump: for decisions.
inline std::int64_t steady_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

}  // namespace dovetail::exec
