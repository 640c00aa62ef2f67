// The tightest deadline that a planner can meet.
//
// A heuristic that meets one deadline may miss a later one, so the search is part of the definition
// (Aida and Casanova 2008; see docs/algorithms.md). The allowed time starts at the critical path on
// the whole cluster and grows by 5 % until the planner meets it; the last step is then halved until
// it is at most one second long.
#pragma once

#include <vector>

#include "dovetail/planner.hpp"

namespace dovetail::planning {

// The longest path with every task on as many processors as it may use: a lower bound on every
// makespan. Needs a problem that planners for one cluster can plan.
Duration shortest_makespan(PlanningContext& context);

// The planner's plan for its tightest deadline, which is Plan::deadline; infeasible when it meets
// none. Needs a planner of the goal deadline that can plan the context's problem; ignores the
// problem's own deadline.
Plan tightest_plan(const PlannerInfo& planner, PlanningContext& context);

// One per planner of the goal deadline that can plan the problem, in table order.
std::vector<Plan> tightest_plans(PlanningContext& context);

}  // namespace dovetail::planning
