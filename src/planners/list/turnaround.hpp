// Turn-around planning around advance reservations: the family BL_x_BD_y.
//
// Source: Aida and Casanova, Scheduling Mixed-Parallel Applications with Advance Reservations
// (problem RESSCHED). Idea: rank the tasks by bottom level; give each, in that order, the slot in
// which it ends earliest, on at most its bound of processors. BL names the allocation for computing
// bottom levels, BD the bound.
// Cost: two CPA allocations, then one calendar sweep per task.
// Ties: equal bottom level to the lower task number, equal end to fewer processors.
#pragma once

#include <string_view>

#include "dovetail/plan.hpp"
#include "planners/list/one_cluster.hpp"

namespace dovetail::planning {

// `name` goes into Plan::algorithm.
inline Plan plan_turnaround(OneCluster& cluster, BottomLevel bottom_level, Bound bound,
                            std::string_view name = {}) {
  return cluster.to_plan(name, place_forward(cluster.view(), cluster.order(bottom_level),
                                             cluster.bounds(bound), cluster.calendar()));
}

// The CPA planner: both phases of CPA, the second one around the reservations.
inline Plan plan_cpa(OneCluster& cluster, std::string_view name) {
  return cluster.to_plan(name, place_fixed(cluster.view(), cluster.order(BottomLevel::cpa),
                                           cluster.bounds(Bound::cpa), cluster.calendar()));
}

}  // namespace dovetail::planning
