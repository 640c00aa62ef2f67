// How many scenarios go to which cluster.
//
//   greedy        each scenario in turn where it ends earliest; optimal for vectors that never fall
//   round-robin   scenario j to cluster j mod n: the baseline
//   exact         the optimum for any vectors, by dynamic programming; to check the others
//
// Source: Caniou et al. 2009, section 4.3, Algorithm 1. Ties go to the first cluster. The greedy
// algorithm asks for the next value of each cluster only and keeps them in a heap: it takes
// O(scenarios x log clusters) steps beyond the vectors themselves, the exact one
// O(clusters x scenarios^2). Of many scenarios the greedy algorithm only finds out how many go to
// each cluster, by bisection, and gives them in blocks: measuring every number of them would take
// time that grows with its square.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "planners/ensemble/performance_vector.hpp"

namespace dovetail::planning {

// By scenario, its cluster. Clusters whose vectors are kForever get none, unless all are.
using Repartition = std::vector<std::uint32_t>;

struct RepartitionInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  Repartition (*make)(std::span<PerformanceVector> clusters, Count scenarios);
};

std::span<const RepartitionInfo> repartitions();
const RepartitionInfo* find_repartition(std::string_view name);

// Scenarios of every cluster.
std::vector<Count> counts_of(const Repartition& repartition, std::size_t clusters);

// The end of the last cluster.
Duration repartition_makespan(std::span<PerformanceVector> clusters, std::span<const Count> counts);

}  // namespace dovetail::planning
