// The plans that a search starts from, and with which its own is compared. How many are made
// depends on the number of tasks (task_limits.hpp).
#pragma once

#include <functional>

#include "dovetail/frontier.hpp"

namespace dovetail::planning {

// Without deadline planners there is no frontier, only the plans for turn-around.
bool has_deadline_planners(const Problem& problem);

// The plans of published planners: those for turn-around, and those for deadlines at as many
// deadlines as the options say, until time is over. Needs has_deadline_planners.
Frontier published_frontier(PlanningContext& context, const FrontierOptions& options,
                            std::function<bool()> is_over);

// Up to kFewTasks tasks: the frontier, slightly improved by search. Up to kManyTasks: the plans for
// turn-around and the tightest ones (pulled forward). Beyond: the plans for turn-around.
Frontier known_plans(PlanningContext& context);

// The same, with more plans around one deadline: the frontier up to kManyTasks tasks, beyond that
// the plans for this deadline and those for turn-around. The plans may end later.
Frontier known_plans_by(PlanningContext& context, Time deadline);

// The same under a time limit, as far as a fifth of the time allows: published planners' plans for
// this deadline, then for deadlines near it.
Frontier known_in_time(PlanningContext& context, Time deadline);

// known_plans or known_plans_by, whichever serves the problem's goal.
Frontier known_for_goal(PlanningContext& context);

// The first of the known plans as a complete answer: without the deadline it was made for, and for
// several workflows with each one's makespan alone. Infeasible when no plan is known.
Plan earliest_plan(PlanningContext& context, const Frontier& known);

}  // namespace dovetail::planning
