#include "gen/task_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dovetail/error.hpp"
#include "dovetail/time.hpp"

namespace dovetail::gen {

double KernelCosts::draw_seconds(Random& random) const {
  const auto side = static_cast<double>(1024 * (2 + random.below(9)));
  const double factor = random.uniform(64, 512);
  KernelCost cost = kind;
  if (cost == KernelCost::any) cost = kKernelCosts[random.below(3)];
  double operations = side * side * side;
  if (cost == KernelCost::square) operations = factor * side * side;
  if (cost == KernelCost::square_log) operations = 2 * factor * side * side * std::log2(side);
  return operations / (1e9 * gigaflops);
}

TimeSpec TaskTimes::draw(Random& random) const {
  const double drawn =
      kernels ? kernels->draw_seconds(random) : random.uniform(min_seconds, max_seconds);
  const double seconds = std::max(1.0, std::round(1000 * drawn)) / 1000;
  if (!moldable) return TimeSpec::fixed(seconds);
  const double alpha = std::round(1e6 * random.uniform(0, alpha_max)) / 1e6;
  return TimeSpec::amdahl(seconds, alpha);
}

void TaskTimes::check() const {
  check_range("the shortest time", min_seconds, 0.001, kMaxSeconds);
  check_range("the longest time", max_seconds, min_seconds, kMaxSeconds);
  check_range("the largest alpha", alpha_max, 0, 1);
  if (kernels) check_range("the speed in GFlop/s", kernels->gigaflops, 1e-6, 1e6);
}

void check_range(const char* name, double value, double lo, double hi) {
  if (value >= lo && value <= hi) return;
  throw InputError(fmt::format("{} is {}; it must be between {} and {}", name, value, lo, hi));
}

}  // namespace dovetail::gen
