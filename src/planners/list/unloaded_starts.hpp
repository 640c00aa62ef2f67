// The guide of resource-conservative planning: when would each task start if the cluster were ours
// alone? A task that a deadline plan starts no earlier than its guide leaves its predecessors the
// time they need without haste, and so may run on few processors.
//
// Source: Aida and Casanova (2008), section 5.3; the guide is a CPA schedule on an empty cluster.
#pragma once

#include <vector>

#include "dovetail/planner.hpp"
#include "planners/list/one_cluster.hpp"

namespace dovetail {

// For each task its guide, from CPA for `share` (Bound::cpa or Bound::cpar) on an empty cluster of
// as many processors, or of as many as the widest task needs.
//
// Deadline plans place tasks from the back, and the guide of a task looks at those not placed yet:
// with GuideReading::front they keep their places in the schedule of the whole workflow; `whole`
// maps them anew, ranked by the bottom levels that they have without the others; `remaining`
// allocates anew, too.
std::vector<Time> guide_starts(OneCluster& cluster, Bound share, GuideReading reading);

}  // namespace dovetail
