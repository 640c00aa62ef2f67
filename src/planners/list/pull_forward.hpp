// Removes idle waiting from a plan: each task starts as early as its processors allow.
//
// A plan built backwards from a deadline begins as late as it can. If it only has to be cheap, its
// tasks should not wait without a reason.
#pragma once

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"

namespace dovetail::planning {

// Keeps every task's cluster and processors. Takes the tasks in order of their starts (ties to the
// first placement) and moves each to the earliest time after its predecessors at which its
// processors are free. No task starts later than before: everything moved earlier now ends earlier
// too, so the task's own slot is still free. On a cluster with nodes the plan is placed on them anew;
// if that ends later, it stays as it was. Needs a valid plan of this problem; an infeasible one
// is returned unchanged.
Plan pull_forward(const Problem& problem, Plan plan);

}  // namespace dovetail::planning
