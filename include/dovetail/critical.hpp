// Why a plan ends when it does: the chain of tasks that decides the end, and what they waited for.
#pragma once

#include <vector>

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"

namespace dovetail {

// One task of the chain. It starts as soon as the link before it ends, or later: then it waited for
// processors.
struct CriticalLink {
  std::size_t placement = 0;     // position in Plan::placements
  Duration waited = 0;           // between what it depends on and its start
  bool for_reservation = false;  // a reservation of others ends when it starts
};

// From the first link to the task that ends last (ties to the first placement). A task that starts
// late because processors came free only when another task of the plan ended follows that task.
// Empty for a plan without placements, and when some task on the way could have begun earlier, so
// that no chain decides the end: plans made backwards from a deadline are like that. Needs a plan
// for this problem; tasks that it leaves out keep no task waiting.
std::vector<CriticalLink> critical_chain(const Problem& problem, const Plan& plan);

}  // namespace dovetail
