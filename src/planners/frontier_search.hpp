// Better plans on a frontier, by search: the earliest one, the cheapest ones by a dozen deadlines
// between the earliest and the cheapest, and every one that was there with as few processors as its
// end leaves time for.
#pragma once

#include "dovetail/frontier.hpp"

namespace dovetail {

// Trials and time are those of the context's options, divided among all. Needs
// single_cluster_unfit to be empty.
void improve_frontier(PlanningContext& context, Frontier& front);

}  // namespace dovetail
