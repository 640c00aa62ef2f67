// Bottom levels and the order in which list planners take the tasks.
#pragma once

#include <span>
#include <vector>

#include "planners/list/cluster_view.hpp"

namespace dovetail {

// For each task, the length of the longest path that begins with it, with the given processors.
std::vector<Duration> bottom_levels(const ClusterView& view, std::span<const Count> allocation);

// Tasks by decreasing level, ties to the lower number. Durations are at least 1 ms, so levels
// decrease along every edge and the order is topological.
std::vector<TaskId> by_decreasing_level(std::span<const Duration> levels);

}  // namespace dovetail
