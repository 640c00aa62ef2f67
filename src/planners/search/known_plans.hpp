// The plans that a search begins with, and with which its own is compared. How many are made
// depends on the number of tasks (task_limits.hpp).
#pragma once

#include <functional>

#include "dovetail/frontier.hpp"

namespace dovetail {

// Without planners for deadlines there is no frontier: what ends early is all there is.
bool has_deadline_planners(const Problem& problem);

// What published planners find: those for turn-around, and those for deadlines at as many deadlines
// as the options say, until it is over. Needs has_deadline_planners.
Frontier published_frontier(PlanningContext& context, const FrontierOptions& options,
                            std::function<bool()> is_over);

// Up to kFewTasks tasks the frontier, little improved by search; for more the plans for
// turn-around, with the tightest ones (pulled forward) up to kManyTasks.
Frontier known_plans(PlanningContext& context);

// The same with a closer look at what can be done by one deadline: the frontier up to kManyTasks,
// for more the plans for that very deadline and those for turn-around. The plans may end later.
Frontier known_plans_by(PlanningContext& context, Time deadline);

// Under a time limit, as much of it as a fifth of the time allows: published plans for that very
// deadline, then for those near it.
Frontier known_in_time(PlanningContext& context, Time deadline);

// The one of the first two that serves the problem's goal.
Frontier known_for_goal(PlanningContext& context);

// The first of the known plans as an answer of its own: without the deadline it was made for, and
// for several workflows with how each would fare alone. Infeasible when none is known.
Plan earliest_plan(PlanningContext& context, const Frontier& known);

}  // namespace dovetail
