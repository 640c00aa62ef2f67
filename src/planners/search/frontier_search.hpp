// Better plans on a frontier, by search: the earliest one, the cheapest ones by some deadlines
// between the earliest and the cheapest, and every one that was there with as few processors as its
// end leaves time for.
#pragma once

#include <cstdint>

#include "dovetail/frontier.hpp"

namespace dovetail {

struct FrontierEffort {
  int deadlines = 12;
  std::uint64_t efforts = 1;  // of the context's options: how many trials there are in all
};

// Trials, and the time of the context's options, are divided among all. Needs
// single_cluster_unfit to be empty.
void improve_frontier(PlanningContext& context, Frontier& front, const FrontierEffort& effort = {});

// For the plans that were found by search: how much earlier, or by their deadlines cheaper, a plan
// can be at most. Takes the last tenth of the time, when there is a limit; then some have none.
void add_certificates(PlanningContext& context, std::vector<Plan>& plans);

}  // namespace dovetail
