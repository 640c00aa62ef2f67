// Planners for unlike resources, as the table has them: what is executed when the resources of the
// platform join and leave as it says.
#pragma once

#include <string_view>
#include <vector>

#include "dovetail/event.hpp"
#include "dovetail/planner.hpp"

namespace dovetail {

// Once, on the resources that are there, whatever happens later.
Plan plan_heft(PlanningContext& context, std::string_view name);

// Planned again at every join and leave: the best of several readings, or the printed equations.
Plan plan_aheft(PlanningContext& context, std::string_view name);
Plan plan_aheft_paper(PlanningContext& context, std::string_view name);

// Decided task by task.
Plan plan_min_min(PlanningContext& context, std::string_view name);

// Whether a planner of the table is one of these.
bool plans_pools(const PlannerInfo& planner);

// What one of these plans at the start, and what is executed when events happen as well.
struct PoolRun {
  Plan before;
  Plan after;
  std::vector<Placement> lost = {};  // runs that were cut short, and begun again later
};

// The events in order of time, besides the joins and leaves of the platform. A resource that they
// let join first of all is not there before. HEFT moves its plan where it has to, and plans again
// only when it has become impossible. `band`: see AheftOptions.
PoolRun run_pool(const PlannerInfo& planner, const Problem& problem, std::vector<Event> events,
                 double band);

}  // namespace dovetail
