// Planners for unlike resources, as the table has them.
#pragma once

#include <string_view>
#include <vector>

#include "dovetail/event.hpp"
#include "dovetail/planner.hpp"
#include "planners/replan/aheft.hpp"

namespace dovetail {

// How a planner goes on when something happens.
struct PoolRule {
  bool is_min_min = false;  // decided task by task; else by AHEFT's loop
  AheftOptions options = {};
};

PoolRule heft_rule();         // moved where it has to be, planned again only when it is impossible
PoolRule aheft_rule();        // the best of several readings
PoolRule aheft_paper_rule();  // the printed equations
PoolRule min_min_rule();

// HEFT in the table: once, on the resources that are there, whatever happens later.
Plan plan_heft(PlanningContext& context, std::string_view name);

// The others: what is executed when resources join and leave as the platform says.
Plan plan_on_pool(PlanningContext& context, std::string_view name, const PoolRule& rule);

// What one of these plans at the start, and what is executed when events happen as well.
struct PoolRun {
  Plan before;
  Plan after;
  std::vector<Placement> lost = {};  // runs that were cut short, and begun again later
};

// The events in order of time, besides the joins and leaves of the platform. A resource that they
// let join first of all is not there before. Needs a planner with a pool rule. `band`: see
// AheftOptions.
PoolRun run_pool(const PlannerInfo& planner, PlanningContext& context, std::vector<Event> events,
                 double band);

}  // namespace dovetail
