// Improves the plans of a frontier by search: the earliest one, the cheapest ones for some
// deadlines in between, and every existing plan with as few processors as its end allows.
#pragma once

#include <cstdint>

#include "dovetail/frontier.hpp"

namespace dovetail::planning {

struct FrontierEffort {
  int deadlines = 12;
  std::uint64_t efforts = 1;  // total trials, as a multiple of the context's effort
};

// All searches share the trials and the time of the context's options. Needs single_cluster_unfit
// to be empty.
void improve_frontier(PlanningContext& context, Frontier& front, const FrontierEffort& effort = {});

// For the plans found by search: how much earlier, or cheaper at their deadline, a plan can be at
// most. Takes the last tenth of the time if there is a limit; then some plans may get no
// certificate.
void add_certificates(PlanningContext& context, std::vector<Plan>& plans);

}  // namespace dovetail::planning
