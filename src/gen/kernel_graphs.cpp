#include "gen/kernel_graphs.hpp"

#include <fmt/format.h>

#include <array>
#include <cassert>
#include <cmath>

#include "gen/layered_dag.hpp"
#include "gen/shapes.hpp"

namespace dovetail::gen {
namespace {

constexpr double kGigaflop = 1e9;
constexpr double kAlphaMax = 0.25;

// Splits a number into digits, the fastest changing one first; each digit picks a value from a
// list.
class Digits {
 public:
  explicit Digits(std::size_t number) : rest_(number) {}

  template <typename T, std::size_t kSize>
  T of(const std::array<T, kSize>& values) {
    const T value = values[rest_ % kSize];
    rest_ /= kSize;
    return value;
  }

 private:
  std::size_t rest_;
};

TaskTimes kernel_times(KernelCost cost) {
  TaskTimes times;
  times.alpha_max = kAlphaMax;
  times.kernels = KernelCosts{.kind = cost, .gigaflops = 1};
  return times;
}

Workflow random_graph(std::size_t number, Random& random, std::string name) {
  Digits digits(number);
  LayeredDagSpec spec;
  spec.times = kernel_times(digits.of(kKernelCosts));
  spec.tasks = digits.of(std::array<std::uint32_t, 3>{10, 20, 50});
  spec.width = digits.of(std::array{0.2, 0.5, 0.8});
  spec.density = digits.of(std::array{0.2, 0.8});
  spec.regularity = digits.of(std::array{0.2, 0.8});
  spec.jump = digits.of(std::array<std::uint32_t, 3>{1, 2, 4});
  return layered_dag(spec, random, std::move(name));
}

}  // namespace

std::string_view to_string(KernelClass kernels) {
  constexpr std::string_view kNames[] = {"random", "Strassen", "FFT"};
  return kNames[static_cast<std::size_t>(kernels)];
}

std::size_t population(KernelClass kernels) {
  constexpr std::size_t kSizes[] = {1296, 100, 120};
  return kSizes[static_cast<std::size_t>(kernels)];
}

Workflow kernel_graph(KernelClass kernels, std::size_t number, std::uint64_t seed,
                      std::string name) {
  assert(number < population(kernels));
  Random random = Random(seed).split(static_cast<std::uint64_t>(kernels)).split(number);
  if (kernels == KernelClass::random) return random_graph(number, random, std::move(name));
  if (kernels == KernelClass::strassen) {
    // The matrices have side 2048 to 10240, their blocks half that.
    const auto side = static_cast<std::uint32_t>(512 * (2 + random.below(9)));
    return strassen_blocks(side, random, std::move(name));
  }
  const FftSpec spec{.points = 2U << number % 3, .times = kernel_times(KernelCost::any)};
  return fft(spec, random, std::move(name));
}

Workflow strassen_blocks(std::uint32_t side, Random& random, std::string name) {
  WorkflowBuilder builder(std::move(name));
  const double square = static_cast<double>(side) * side;
  const auto add = [&](std::string id, double operations, std::initializer_list<TaskId> after) {
    const double alpha = std::round(1e6 * random.uniform(0, kAlphaMax)) / 1e6;
    const double seconds = std::max(1.0, std::round(1000 * operations / kGigaflop)) / 1000;
    const TaskId task =
        builder.add_task({.id = std::move(id), .time = TimeSpec::amdahl(seconds, alpha)});
    for (const TaskId before : after) builder.add_edge(before, task);
    return task;
  };
  const auto sum = [&](std::string id, std::initializer_list<TaskId> after) {
    return add(std::move(id), 64 * square, after);
  };
  const auto product = [&](std::string id, std::initializer_list<TaskId> after) {
    return add(std::move(id), 2 * square * side, after);
  };
  std::array<TaskId, 10> s{};
  for (std::size_t i = 0; i < s.size(); ++i) s[i] = sum(fmt::format("S{}", i + 1), {});
  std::array<TaskId, 8> p{};  // P1 to P7
  for (std::size_t i = 1; i <= 4; ++i) p[i] = product(fmt::format("P{}", i), {s[i - 1]});
  for (std::size_t i = 5; i <= 7; ++i) {
    p[i] = product(fmt::format("P{}", i), {s[2 * i - 6], s[2 * i - 5]});
  }
  sum("C11", {sum("C11b", {sum("C11a", {p[5], p[4]}), p[2]}), p[6]});
  sum("C12", {p[1], p[2]});
  sum("C21", {p[3], p[4]});
  sum("C22", {sum("C22b", {sum("C22a", {p[5], p[1]}), p[3]}), p[7]});
  return std::move(builder).build();
}

}  // namespace dovetail::gen
