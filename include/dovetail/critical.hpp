// Why a plan ends when it does: the chain of tasks that decides the end, and what they waited for.
#pragma once

#include <vector>

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"

namespace dovetail {

// One task of the chain. It starts when the link before it ends, or later if it waited for
// processors.
struct CriticalLink {
  std::size_t placement = 0;     // position in Plan::placements
  Duration waited = 0;           // from when its inputs are ready to its start
  bool for_reservation = false;  // another user's reservation ends when it starts
};

// The chain from its first link to the task that ends last (on ties, the first placement). If a
// task starts late because its processors came free only when another task of the plan ended, it
// follows that task. Empty for a plan without placements, and when some task on the way could have
// begun earlier, so that no chain decides the end; plans built backwards from a deadline often look
// like this. Empty, too, when what really ran gives tasks that waited for each other. Needs a plan
// for this problem; tasks that the plan leaves out delay no other task.
std::vector<CriticalLink> critical_chain(const Problem& problem, const Plan& plan);

}  // namespace dovetail
