#include "planners/list/unloaded_starts.hpp"

#include <algorithm>

#include "planners/list/allocate.hpp"
#include "planners/list/levels.hpp"

namespace dovetail {

namespace {

using Allocation = OneCluster::Allocation;

// CPA's mapping phase on an empty cluster.
std::vector<Slot> map_alone(const ClusterView& view, const Allocation& allocation, Count procs,
                            Time now) {
  const Count widest = *std::max_element(allocation.begin(), allocation.end());
  const auto order = by_decreasing_level(bottom_levels(view, allocation));
  return place_fixed(view, order, allocation, Calendar(std::max(procs, widest), now)).value();
}

// The guide of each task from a separate schedule of the tasks up to it in the list.
std::vector<Time> one_schedule_each(OneCluster& cluster, Bound share, Count procs,
                                    GuideReading reading) {
  const auto& order = cluster.order(BottomLevel::cpar);
  std::vector<Time> starts(order.size());
  std::vector<TaskId> front;  // sorted, so that ties are broken as in the whole workflow
  for (const TaskId task : order) {
    const auto place = front.insert(std::lower_bound(front.begin(), front.end(), task), task);
    const auto number = static_cast<std::size_t>(place - front.begin());
    const ClusterView part = cluster.view().part(front);
    Allocation allocation;
    if (reading == GuideReading::remaining) {
      allocation = cpa_allocation(part, procs, cluster.options().cpa_stop);
    } else {
      const Allocation& whole = cluster.bounds(share);
      for (const TaskId kept : front) allocation.push_back(whole[kept]);
    }
    starts[task] = map_alone(part, allocation, procs, cluster.now())[number].start;
  }
  return starts;
}

}  // namespace

std::vector<Time> guide_starts(OneCluster& cluster, Bound share, GuideReading reading) {
  const Count procs = share == Bound::cpa ? cluster.processors() : cluster.historical_procs();
  if (reading != GuideReading::front) return one_schedule_each(cluster, share, procs, reading);
  std::vector<Time> starts;
  for (const Slot& slot : map_alone(cluster.view(), cluster.bounds(share), procs, cluster.now())) {
    starts.push_back(slot.start);
  }
  return starts;
}

}  // namespace dovetail
