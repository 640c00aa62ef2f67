#include "planners/repartition.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <utility>

namespace dovetail {

namespace {

Repartition greedy(std::span<PerformanceVector> clusters, Count scenarios) {
  using Next = std::pair<Duration, std::uint32_t>;  // the end with one scenario more, the cluster
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
  for (std::uint32_t c = 0; c < clusters.size(); ++c) queue.emplace(clusters[c].at(1), c);
  std::vector<Count> counts(clusters.size(), 0);
  Repartition repartition;
  for (Count s = 0; s < scenarios; ++s) {
    const std::uint32_t chosen = queue.top().second;
    queue.pop();
    repartition.push_back(chosen);
    const Count next = ++counts[chosen] + 1;
    if (next <= clusters[chosen].most()) queue.emplace(clusters[chosen].at(next), chosen);
  }
  return repartition;
}

Repartition round_robin(std::span<PerformanceVector> clusters, Count scenarios) {
  std::vector<std::uint32_t> usable;
  for (std::uint32_t c = 0; c < clusters.size(); ++c) {
    if (clusters[c].at(1) < kForever) usable.push_back(c);
  }
  if (usable.empty()) usable.push_back(0);
  Repartition repartition;
  for (Count s = 0; s < scenarios; ++s) {
    repartition.push_back(usable[static_cast<std::size_t>(s) % usable.size()]);
  }
  return repartition;
}

// best[n]: the least end of n scenarios on the clusters so far; chosen[c][n]: how many of them are
// on cluster c then.
Repartition exact(std::span<PerformanceVector> clusters, Count scenarios) {
  const auto size = static_cast<std::size_t>(scenarios) + 1;
  std::vector<Duration> best(size, kForever);
  best[0] = 0;
  std::vector<std::vector<Count>> chosen;
  for (PerformanceVector& cluster : clusters) {
    std::vector<Duration> next = best;  // with none there
    chosen.emplace_back(size, 0);
    for (std::size_t all = 1; all < size; ++all) {
      for (std::size_t here = 1; here <= all; ++here) {
        const auto count = static_cast<Count>(here);
        const Duration end = std::max(best[all - here], cluster.at(count));
        if (end >= next[all]) continue;
        next[all] = end;
        chosen.back()[all] = count;
      }
    }
    best = std::move(next);
  }
  Repartition repartition;
  auto left = static_cast<std::size_t>(scenarios);
  for (std::size_t c = clusters.size(); c-- > 0;) {
    const Count here = c == 0 ? static_cast<Count>(left) : chosen[c][left];
    repartition.insert(repartition.begin(), static_cast<std::size_t>(here),
                       static_cast<std::uint32_t>(c));
    left -= static_cast<std::size_t>(here);
  }
  return repartition;
}

constexpr std::string_view kRepartitionSource = "Caniou et al. 2009";

constexpr std::array kRepartitions = {
    RepartitionInfo{"greedy", "each scenario in turn to the cluster on which it ends earliest",
                    kRepartitionSource, greedy},
    RepartitionInfo{"round-robin", "scenario after scenario to the next cluster: the baseline",
                    kRepartitionSource, round_robin},
    RepartitionInfo{"exact", "the optimum, by dynamic programming", "Dovetail", exact},
};

}  // namespace

std::span<const RepartitionInfo> repartitions() { return kRepartitions; }

const RepartitionInfo* find_repartition(std::string_view name) {
  const auto found = std::find_if(kRepartitions.begin(), kRepartitions.end(),
                                  [&](const RepartitionInfo& row) { return row.name == name; });
  return found == kRepartitions.end() ? nullptr : &*found;
}

std::vector<Count> counts_of(const Repartition& repartition, std::size_t clusters) {
  std::vector<Count> counts(clusters, 0);
  for (const std::uint32_t cluster : repartition) ++counts[cluster];
  return counts;
}

Duration repartition_makespan(std::span<PerformanceVector> clusters,
                              std::span<const Count> counts) {
  Duration end = 0;
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    if (counts[c] > 0) end = std::max(end, clusters[c].at(counts[c]));
  }
  return end;
}

}  // namespace dovetail
