#include "planners/list/limited_cluster.hpp"

#include <algorithm>

namespace dovetail {

Cluster limited_cluster(const Platform& platform, Count limit) {
  Cluster cluster = platform.clusters().front();
  if (cluster.reservations.empty()) {
    cluster.processors = limit;
    return cluster;
  }
  cluster.processors = std::min(cluster.processors, limit);
  cluster.reservations.clear();
  const Interval stay{std::max(platform.now(), cluster.joins), cluster.leaves};
  for (const Step& step : platform.calendar(0).steps(stay)) {
    const Count held = cluster.processors - std::min(cluster.processors, step.free);
    if (held > 0) cluster.reservations.push_back({step.begin, step.end, held});
  }
  return cluster;
}

}  // namespace dovetail
