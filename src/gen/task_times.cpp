#include "gen/task_times.hpp"

#include <fmt/format.h>

#include <cmath>

#include "dovetail/error.hpp"
#include "dovetail/time.hpp"

namespace dovetail {

TimeSpec TaskTimes::draw(Random& random) const {
  const double seconds = std::round(1000 * random.uniform(min_seconds, max_seconds)) / 1000;
  if (!moldable) return TimeSpec::fixed(seconds);
  const double alpha = std::round(1e6 * random.uniform(0, alpha_max)) / 1e6;
  return TimeSpec::amdahl(seconds, alpha);
}

void TaskTimes::check() const {
  check_range("the shortest time", min_seconds, 0.001, kMaxSeconds);
  check_range("the longest time", max_seconds, min_seconds, kMaxSeconds);
  check_range("the largest alpha", alpha_max, 0, 1);
}

void check_range(const char* name, double value, double lo, double hi) {
  if (value >= lo && value <= hi) return;
  throw InputError(fmt::format("{} is {}; it must be between {} and {}", name, value, lo, hi));
}

}  // namespace dovetail
