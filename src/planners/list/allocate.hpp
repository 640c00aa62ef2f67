// The number of processors for each task: the allocation phase of CPA.
//
// Source: Radulescu and van Gemund, A Low-Cost Approach towards Mixed Task and Data Parallel
// Scheduling (2001); the improved stop rule is from N'Takpe, Suter and Casanova (2007).
// Idea: every task begins with one processor; as long as the critical path is longer than the
// average area, the task on the critical path that gains most from one more processor gets it.
// Cost: one step needs the critical path only, which is found lazily (see critical_path.hpp).
#pragma once

#include <vector>

#include "dovetail/planner.hpp"
#include "planners/list/cluster_view.hpp"

namespace dovetail::planning {

// The allocation for a cluster of `procs` processors. Tasks with a fixed count keep it, and those
// with a table step from one measured count to the next. Ties on the critical path and between
// equal gains go to the lower task number.
std::vector<Count> cpa_allocation(const ClusterView& view, Count procs,
                                  CpaStop stop = CpaStop::improved);

// The same with two limits: no task grows above `limit`, nor do all tasks of its level (the
// greatest number of edges from an entry) together. The stop rule still uses `procs`. Used to keep
// one of several workflows within its share (N'Takpe and Suter, 2009).
std::vector<Count> cpa_allocation_within(const ClusterView& view, Count procs, Count limit,
                                         CpaStop stop = CpaStop::improved);

}  // namespace dovetail::planning
