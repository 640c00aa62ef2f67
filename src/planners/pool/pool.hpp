// The planners for heterogeneous resources, for the table of planners.
#pragma once

#include <string_view>
#include <vector>

#include "dovetail/event.hpp"
#include "dovetail/planner.hpp"
#include "planners/replan/aheft.hpp"
#include "planners/replan/simulate.hpp"

namespace dovetail {

// How a planner reacts to events.
struct PoolRule {
  bool is_min_min = false;  // decides task by task; else AHEFT's loop
  planning::AheftOptions options = {};
};

}  // namespace dovetail

namespace dovetail::planning {

PoolRule heft_rule();         // shifts tasks if needed, replans only if the plan is impossible
PoolRule aheft_rule();        // the best of several readings
PoolRule aheft_paper_rule();  // the printed equations
PoolRule min_min_rule();

// HEFT in the table: plans once, on the resources present at the start, whatever happens later.
Plan plan_heft(PlanningContext& context, std::string_view name);

// The other planners: the executed plan when resources join and leave as the platform says.
Plan plan_on_pool(PlanningContext& context, std::string_view name, const PoolRule& rule);

// Needs a planner with a pool rule, and events sorted by time; the joins and leaves of the platform
// are added. A resource whose first event is a join is absent before it. `band`: see AheftOptions.
Simulation run_pool(const PlannerInfo& planner, PlanningContext& context, std::vector<Event> events,
                    double band);

}  // namespace dovetail::planning
