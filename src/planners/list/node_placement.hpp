// Puts a plan on the nodes of its cluster. Planners count processors over time; here each task gets
// its nodes, with cores, memory and GPUs, by the rule of the packer (core/packer.hpp).
//
// Event by event: of the tasks that are ready, in the order of the plan's starts, each begins as
// soon as nodes can hold it until its end, beside the tasks that run there and the reservations
// that lie there (core/held_nodes.hpp). A task that does not fit lets those behind it go first. No
// task begins before the plan says, so a plan that fits the nodes keeps its times. Where that ends
// later than the plan, the same is tried with every task as early as it can, and the better of the
// two is taken.
//
// Ties: equal starts to the longer path behind the task, then to the lower number. Cost: a question
// to the packer for each task, and one for each kind of demand at each event; where reservations
// lie on the nodes, one for each ready task at each event.
#pragma once

#include <cstddef>
#include <vector>

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"

namespace dovetail::planning {

// The position of each task of each workflow in Plan::placements.
std::vector<std::vector<std::size_t>> positions_in(const Problem& problem, const Plan& plan);

// The plan with nodes; each task has the same processors. Infeasible when the cluster leaves too
// early. Needs a plan that is valid by processors. An infeasible plan, and one for a cluster
// without nodes or for several clusters, is returned unchanged.
Plan place_on_nodes(const Problem& problem, Plan plan);

}  // namespace dovetail::planning
