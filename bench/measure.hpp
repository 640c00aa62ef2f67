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

}  // namespace dovetail::bench
