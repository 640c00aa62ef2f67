#include "planners/list/levels.hpp"

#include <algorithm>
#include <numeric>

namespace dovetail {

std::vector<Duration> bottom_levels(const ClusterView& view, std::span<const Count> allocation) {
  const Workflow& workflow = view.workflow();
  std::vector<Duration> levels(view.size(), 0);
  const auto order = workflow.topological_order();
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    Duration below = 0;
    for (TaskId next : workflow.successors(*task)) below = std::max(below, levels[next]);
    levels[*task] = below + view.time(*task).duration(allocation[*task]);
  }
  return levels;
}

std::vector<TaskId> by_decreasing_level(std::span<const Duration> levels) {
  std::vector<TaskId> order(levels.size());
  std::iota(order.begin(), order.end(), TaskId{0});
  std::sort(order.begin(), order.end(), [&](TaskId a, TaskId b) {
    return levels[a] != levels[b] ? levels[a] > levels[b] : a < b;
  });
  return order;
}

}  // namespace dovetail
