// A plan without idle waiting: each task as early as its processors allow.
//
// A plan made backwards from a deadline begins as late as it can. Where it only
// has to be cheap, tasks should not wait without a reason.
#pragma once

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"

namespace dovetail {

// The same tasks on the same clusters and processors, taken in the order of their starts (ties to
// the first placement), each at the earliest moment after its predecessors at which its processors
// are free. No task starts later than before: when its turn comes, all that was moved ends earlier
// than it did, so that its own slot is still free. Needs a valid plan of this problem; an
// infeasible one stays as it is.
Plan pull_forward(const Problem& problem, Plan plan);

}  // namespace dovetail
