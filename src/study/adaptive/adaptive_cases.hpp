// The cases of the adaptive study: one workflow on one pool of resources under every strategy.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gen/heft_graph.hpp"

namespace dovetail::study {

enum class AdaptiveStrategy {
  heft,            // planned once, ranks from mean costs
  heft_best,       // planned once, the best of four kinds of rank
  aheft,           // planned again at every join, from heft_best on: the default mode
  aheft_paper,     // the same by the printed equations
  aheft_inflight,  // the same with mean ranks, but files under way count
  min_min,         // task by task, files in parallel
  min_min_sum      // task by task, files one after the other
};

inline constexpr std::array kAdaptiveStrategies = {
    AdaptiveStrategy::heft,        AdaptiveStrategy::heft_best,      AdaptiveStrategy::aheft,
    AdaptiveStrategy::aheft_paper, AdaptiveStrategy::aheft_inflight, AdaptiveStrategy::min_min,
    AdaptiveStrategy::min_min_sum};

// "HEFT", "HEFT_BEST", "AHEFT", ...
std::string_view to_string(AdaptiveStrategy strategy);

// A value for each strategy.
template <typename T>
class ByStrategy {
 public:
  T& operator[](AdaptiveStrategy strategy) { return values_[static_cast<std::size_t>(strategy)]; }
  const T& operator[](AdaptiveStrategy strategy) const {
    return values_[static_cast<std::size_t>(strategy)];
  }
  friend bool operator==(const ByStrategy&, const ByStrategy&) = default;

 private:
  std::array<T, kAdaptiveStrategies.size()> values_ = {};
};

using Makespans = ByStrategy<Duration>;  // 0 where the strategy was not run

// Makespans by pool. Resources join until the workflow ends. Min-Min runs only on request: on wide
// workflows it takes longer than all others together.
std::vector<Makespans> run_cases(const gen::PoolFlow& flow, std::span<const gen::PoolSpec> pools,
                                 bool with_min_min);

}  // namespace dovetail::study
