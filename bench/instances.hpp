// The instances that benchmarks share: the same seed, the same instance, on every machine.
#pragma once

#include <utility>

#include "core/random.hpp"
#include "dovetail/problem.hpp"
#include "gen/layered_dag.hpp"

namespace dovetail::bench {

// A busy week: reservations that follow each other closely and fill about half of the cluster,
// sizes and lengths spread as in batch logs (many small and short, few large and long).
inline Cluster dense_cluster(Count processors, std::size_t reservations, std::uint64_t seed) {
  Random random(seed);
  Cluster cluster{.name = "dense", .processors = processors, .free_on_average = 0.5 * processors};
  Calendar calendar(processors);
  constexpr Duration kWeek = 7 * 86'400'000;
  const Duration mean_length =
      static_cast<Duration>(0.5 * kWeek * 8 / static_cast<double>(reservations));
  while (cluster.reservations.size() < reservations) {
    const double size = random.uniform01();
    const auto procs = std::max<Count>(
        1, static_cast<Count>(processors * size * size * size * 0.5));  // mean: an eighth
    const Time start = static_cast<Time>(random.uniform(0, kWeek));
    const Duration length =
        1 + static_cast<Duration>(random.gamma(0.7, static_cast<double>(mean_length) / 0.7));
    if (!calendar.fits({start, start + length}, procs)) continue;
    calendar.reserve({start, start + length}, procs);
    cluster.reservations.push_back({start, start + length, procs});
  }
  return cluster;
}

inline Problem dense_problem(std::uint32_t tasks, Count processors, std::size_t reservations,
                             std::uint64_t seed = 1) {
  Random random(seed);
  Workflow workflow = gen::layered_dag({.tasks = tasks}, random);
  return Problem({std::move(workflow)},
                 Platform(0, {dense_cluster(processors, reservations, seed)}));
}

}  // namespace dovetail::bench
