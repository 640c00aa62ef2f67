// What the benchmarks of planners share: the clock, the size of the cluster, the quality of a plan.
#pragma once

#include <benchmark/benchmark.h>

#include <ctime>

#include "dovetail/metrics.hpp"

namespace dovetail::bench {

inline constexpr Count kProcessors = 1'152;
inline constexpr std::size_t kReservations = 1'000;

// Processor time: what others do on the machine does not count.
inline double processor_ms() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

inline void report_quality(benchmark::State& state, const Plan& plan) {
  constexpr double kMillisecondsAnHour = 3'600'000;
  state.counters["makespan_h"] = static_cast<double>(makespan(plan)) / kMillisecondsAnHour;
  state.counters["cpu_h"] = cpu_hours(plan);
}

// Times two ways to the same plan in turns, ours several times a turn, since the clock ticks in
// microseconds; both start from nothing. Fails when same(ours, plain) says that they differ.
// Answers our plan.
template <typename Ours, typename Plain, typename Same>
Plan time_in_turns(benchmark::State& state, Ours ours, Plain plain, Same same) {
  constexpr int kTurns = 10;
  double ours_ms = 0;
  double plain_ms = 0;
  Plan plan = ours();
  for (auto _ : state) {
    const double start = processor_ms();
    for (int i = 0; i < kTurns; ++i) plan = ours();
    const double middle = processor_ms();
    const auto expected = plain();
    plain_ms += processor_ms() - middle;
    ours_ms += (middle - start) / kTurns;
    if (!same(plan, expected)) {
      state.SkipWithError("the plan differs from the plain planner's");
      break;
    }
  }
  const auto turns = static_cast<double>(state.iterations());
  state.counters["ours_ms"] = ours_ms / turns;
  state.counters["plain_ms"] = plain_ms / turns;
  state.counters["ratio"] = plain_ms / ours_ms;
  return plan;
}

}  // namespace dovetail::bench
