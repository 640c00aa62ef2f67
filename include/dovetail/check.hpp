// The independent judge of plans. It shares no code with the planners or the calendar: it sorts
// events and counts processors by itself.
//
//   for (const std::string& violation : check(problem, plan)) std::cerr << violation << '\n';
#pragma once

#include <string>
#include <vector>

#include "dovetail/plan.hpp"
#include "dovetail/plan_record.hpp"
#include "dovetail/problem.hpp"

namespace dovetail {

// Everything the plan breaks, one sentence each, at most `limit`; empty when the plan is valid:
// every task once, not before now, on an allowed number of processors, for exactly its duration,
// after its predecessors (and transfers), within the capacity that reservations leave at every
// instant, and not after the deadline, be it the plan's or the problem's.
std::vector<std::string> check(const Problem& problem, const Plan& plan, std::size_t limit = 20);

// The same for a plan from a file, whose names must be those of the problem and whose own summary
// (makespan, CPU-hours) must agree with its tasks.
std::vector<std::string> check(const Problem& problem, const PlanRecord& record,
                               std::size_t limit = 20);

}  // namespace dovetail
