// How long the tasks of a generated workflow run.
#pragma once

#include <array>
#include <optional>

#include "core/random.hpp"
#include "dovetail/speedup.hpp"

namespace dovetail::gen {

// The most tasks a generator makes; a larger number is probably a typing mistake.
inline constexpr std::uint64_t kMaxGeneratedTasks = 10'000'000;

// The cost of a kernel on a matrix of side x, with a factor a: a x^2, 2 a x^2 log2 x, or x^3
// operations; `any` draws one of these for every task.
enum class KernelCost { square, square_log, cube, any };
inline constexpr std::array kKernelCosts = {KernelCost::square, KernelCost::square_log,
                                            KernelCost::cube, KernelCost::any};

// Tasks as matrix kernels, as in papers on mixed-parallel scheduling: x is a multiple of 1024 in
// [2048, 10240] and a is uniform in [64, 512).
struct KernelCosts {
  KernelCost kind = KernelCost::any;
  double gigaflops = 1;  // operations of a processor, in 1e9 per second

  double draw_seconds(Random& random) const;
};

// Seconds on one processor are uniform in [min_seconds, max_seconds], or those of kernels. Moldable
// tasks follow Amdahl's law with a sequential share uniform in [0, alpha_max]; the others run on
// one processor.
struct TaskTimes {
  double min_seconds = 60;
  double max_seconds = 36'000;
  double alpha_max = 0.2;
  bool moldable = true;
  std::optional<KernelCosts> kernels = {};  // instead of the first two

  // Draws one task's time, in whole milliseconds and with a share of six decimals, so that a file
  // holds exactly what the generator made.
  TimeSpec draw(Random& random) const;

  // Throws InputError when the numbers are out of range.
  void check() const;
};

// Throws InputError, "name: ...", unless lo <= value <= hi.
void check_range(const char* name, double value, double lo, double hi);

}  // namespace dovetail::gen
