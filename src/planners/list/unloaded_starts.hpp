// The guide of resource-conservative planning: when each task would start if the cluster were
// empty. A task that a deadline plan starts no earlier than its guide leaves its predecessors
// enough time, so it may run on few processors.
//
// Source: Aida and Casanova (2008), section 5.3; the guide is a CPA schedule on an empty cluster.
#pragma once

#include <vector>

#include "dovetail/planner.hpp"
#include "planners/list/one_cluster.hpp"

namespace dovetail {

// The guide of each task, from CPA for `share` (Bound::cpa or Bound::cpar) on an empty cluster of
// that many processors, or as many as the widest task needs.
//
// Deadline plans place tasks from the back, and the guide of a task considers those not placed yet.
// With GuideReading::front they keep their places in the schedule of the whole workflow; `whole`
// maps them again, ranked by the bottom levels that they have without the others; `remaining` also
// allocates again.
std::vector<Time> guide_starts(OneCluster& cluster, Bound share, GuideReading reading);

}  // namespace dovetail
