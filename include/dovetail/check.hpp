// The independent checker of plans. It shares no code with the planners or the calendar, so a
// mistake there cannot hide here: it sorts events and counts processors itself.
//
//   for (const std::string& violation : check(problem, plan)) std::cerr << violation << '\n';
#pragma once

#include <string>
#include <vector>

#include "dovetail/plan.hpp"
#include "dovetail/plan_record.hpp"
#include "dovetail/problem.hpp"

namespace dovetail {

// Lists at most `limit` violations, one sentence each; empty when the plan is valid. In a valid
// plan every task runs exactly once, not before now, on an allowed number of processors, for
// exactly its duration and after its predecessors (and transfers). The tasks fit into the capacity
// that reservations leave at every instant, of the cluster and, where it has nodes, of each node,
// and end by the deadline of the plan and of the problem.
std::vector<std::string> check(const Problem& problem, const Plan& plan, std::size_t limit = 20);

// The same for a plan from a file. Its names must be those of the problem. What it says about
// itself must agree with its tasks and with the problem: makespan and CPU-hours always; clusters,
// critical chain and stretches when it has them.
std::vector<std::string> check(const Problem& problem, const PlanRecord& record,
                               std::size_t limit = 20);

}  // namespace dovetail
