// The planner DOVETAIL: starts from published plans and improves on them by search.
//
// Source: our own. Idea: list planners differ in the order of the tasks and in how wide each may
// be. This planner searches over both (anneal.hpp), starting from the best published plan and from
// allocations derived from a lower bound (lower_bound.hpp). Cost: one trial is one list placement,
// given up as soon as it cannot be accepted; about 300,000 a second for 50 tasks. Never worse than
// the published plans within its limits from which it starts. It stops when the bound shows that
// hardly anything is left to gain.
//
//   Plan plan = plan_anytime(context, std::nullopt);
//   plan.search->certificate
#pragma once

#include <optional>
#include <span>

#include "dovetail/plan.hpp"
#include "dovetail/planner.hpp"

namespace dovetail::planning {

// The least turn-around within the CPU time that the context's options allow; with a deadline, the
// least CPU time. Also starts from the `known` plans. Infeasible when there is no plan within the
// limits. Needs single_cluster_unfit to be empty.
Plan plan_anytime(PlanningContext& context, std::optional<Time> deadline,
                  std::span<const Plan> known = {});

}  // namespace dovetail::planning
