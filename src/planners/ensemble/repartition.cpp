#include "planners/ensemble/repartition.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace dovetail::planning {

namespace {

Repartition greedy_in_turn(std::span<PerformanceVector> clusters, Count scenarios) {
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

// How many scenarios each cluster gets in turn, without measuring all of them: the smallest of
// all (makespan, cluster, number), found by bisection.
class GreedyCounts {
 public:
  GreedyCounts(std::span<PerformanceVector> clusters, Count scenarios)
      : clusters_(clusters),
        scenarios_(scenarios),
        low_(clusters.size(), 0),
        high_(clusters.size(), scenarios) {}

  std::vector<Count> find() {
    for (Count missing = scenarios_; missing > 0; missing = scenarios_ - sum(low_)) {
      const std::size_t pivot = widest();
      const Count share = std::max(1, missing / static_cast<Count>(clusters_.size()));
      const Count number = low_[pivot] + std::min(share, (high_[pivot] - low_[pivot] + 1) / 2);
      const Duration end = clusters_[pivot].at(number);
      std::vector<Count> counts(clusters_.size());
      for (std::size_t c = 0; c < clusters_.size(); ++c) {
        // Those that end together go to the first cluster.
        counts[c] = c == pivot ? number : ending_by(c, c < pivot ? end : end - 1);
      }
      if (sum(counts) <= scenarios_) {
        low_ = std::move(counts);
      } else {
        --counts[pivot];
        high_ = std::move(counts);
      }
    }
    return low_;
  }

 private:
  static std::int64_t wide_sum(const std::vector<Count>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  }
  // At most one more than the scenarios.
  Count sum(const std::vector<Count>& counts) const {
    return static_cast<Count>(std::min<std::int64_t>(wide_sum(counts), scenarios_ + 1));
  }

  std::size_t widest() const {
    std::size_t widest = 0;
    for (std::size_t c = 1; c < clusters_.size(); ++c) {
      if (high_[c] - low_[c] > high_[widest] - low_[widest]) widest = c;
    }
    return widest;
  }

  // Scenarios that the cluster does by then, within its limits; in growing steps, since few cost
  // less to measure than many.
  Count ending_by(std::size_t cluster, Duration end) {
    Count fit = low_[cluster];
    Count beyond = high_[cluster] + 1;
    for (Count step = 1; fit + step < beyond; step *= 2) {
      if (clusters_[cluster].at(fit + step) > end) {
        beyond = fit + step;
      } else {
        fit += step;
      }
    }
    while (beyond - fit > 1) {
      const Count middle = fit + (beyond - fit) / 2;
      (clusters_[cluster].at(middle) > end ? beyond : fit) = middle;
    }
    return fit;
  }

  std::span<PerformanceVector> clusters_;
  Count scenarios_;
  std::vector<Count> low_;   // every cluster gets at least these
  std::vector<Count> high_;  // and at most
};

Repartition in_blocks(std::span<const Count> counts) {
  Repartition repartition;
  for (std::uint32_t c = 0; c < counts.size(); ++c) {
    repartition.insert(repartition.end(), static_cast<std::size_t>(counts[c]), c);
  }
  return repartition;
}

Repartition greedy(std::span<PerformanceVector> clusters, Count scenarios) {
  if (scenarios <= kMostInTurn) return greedy_in_turn(clusters, scenarios);
  return in_blocks(GreedyCounts(clusters, scenarios).find());
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
  std::vector<Count> counts(clusters.size());
  auto left = static_cast<std::size_t>(scenarios);
  for (std::size_t c = clusters.size(); c-- > 0;) {
    counts[c] = c == 0 ? static_cast<Count>(left) : chosen[c][left];
    left -= static_cast<std::size_t>(counts[c]);
  }
  return in_blocks(counts);
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
  const auto found = std::ranges::find(kRepartitions, name, &RepartitionInfo::name);
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

}  // namespace dovetail::planning
