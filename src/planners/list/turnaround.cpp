#include "planners/list/turnaround.hpp"

namespace dovetail::planning {

Plan plan_turnaround(OneCluster& cluster, BottomLevel bottom_level, Bound bound,
                     std::string_view name) {
  return cluster.to_plan(name, place_forward(cluster.view(), cluster.order(bottom_level),
                                             cluster.bounds(bound), cluster.calendar()));
}

Plan plan_cpa(OneCluster& cluster, std::string_view name) {
  return cluster.to_plan(name, place_fixed(cluster.view(), cluster.order(BottomLevel::cpa),
                                           cluster.bounds(Bound::cpa), cluster.calendar()));
}

}  // namespace dovetail::planning
