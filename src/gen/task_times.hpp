// How long the tasks of a generated workflow run.
#pragma once

#include "dovetail/speedup.hpp"
#include "core/random.hpp"

namespace dovetail {

// The most tasks a generator makes; more is taken for a slip of the keyboard.
inline constexpr std::uint64_t kMaxGeneratedTasks = 10'000'000;

// Seconds on one processor are uniform in [min_seconds, max_seconds]. Moldable tasks follow
// Amdahl's law with a sequential share that is uniform in [0, alpha_max]; the others run on one
// processor.
struct TaskTimes {
  double min_seconds = 60;
  double max_seconds = 36'000;
  double alpha_max = 0.2;
  bool moldable = true;

  // One task's time, in whole milliseconds, with a share of six decimals, so that a file holds
  // exactly what the generator made.
  TimeSpec draw(Random& random) const;

  // Throws InputError when the numbers are out of range.
  void check() const;
};

// Throws InputError, "name: ...", unless lo <= value <= hi.
void check_range(const char* name, double value, double lo, double hi);

}  // namespace dovetail
