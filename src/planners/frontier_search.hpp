// Better plans on a frontier, by search: the earliest one, the cheapest ones by a dozen deadlines
// between the earliest and the cheapest, and every one that was there with as few processors as its
// end leaves time for.
#pragma once

#include "dovetail/frontier.hpp"

namespace dovetail {

// Trials and time are those of the context's options, divided among all. Needs
// single_cluster_unfit to be empty.
void improve_frontier(PlanningContext& context, Frontier& front);

// For the plans that were found by search: how much earlier, or by their deadlines cheaper, a plan
// can be at most. Takes the last tenth of the time, when there is a limit; then some have none.
void add_certificates(PlanningContext& context, std::vector<Plan>& plans);

}  // namespace dovetail
