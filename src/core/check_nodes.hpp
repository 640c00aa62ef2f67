// Checks that no node of a cluster is overbooked: part of the checker (check.hpp), with code of its
// own.
#pragma once

#include <functional>
#include <string>

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"

namespace dovetail {

// Reports one sentence for each violation. Every placement on a cluster with nodes must name as
// many different nodes as it takes, which have what the task requires; at every instant the cores,
// the GPUs and the known memory of each node suffice for the tasks and the reservations there, and
// nothing runs beside a task that takes its nodes whole. Placements elsewhere name no nodes.
void check_nodes(const Problem& problem, const Plan& plan,
                 const std::function<void(std::string)>& report);

}  // namespace dovetail
