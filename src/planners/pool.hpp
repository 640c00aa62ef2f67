// Planners for unlike resources, as the table has them: what is executed when the resources of the
// platform join and leave as it says.
#pragma once

#include <string_view>

#include "dovetail/planner.hpp"

namespace dovetail {

// Once, on the resources that are there, whatever happens later.
Plan plan_heft(PlanningContext& context, std::string_view name);

// Planned again at every join and leave: the best of several readings, or the printed equations.
Plan plan_aheft(PlanningContext& context, std::string_view name);
Plan plan_aheft_paper(PlanningContext& context, std::string_view name);

// Decided task by task.
Plan plan_min_min(PlanningContext& context, std::string_view name);

}  // namespace dovetail
