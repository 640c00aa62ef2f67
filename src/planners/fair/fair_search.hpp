// The planner DOVETAIL_FAIR: starts from the published plans for several workflows and improves on
// them by search.
//
// Source: our own. Idea: as DOVETAIL (anytime.hpp), but minimising the makespan and the average and
// maximum stretch relative to those of MAGS (fair_scale.hpp). Never worse than MAGS in any of the
// three, so the guarantee of MAGS holds for this plan as well. Stretches are relative to the same
// times alone. CPU time is limited to a multiple of what MAGS uses (search.hpp). Ties: equal plans
// to the cheaper one, then to the first lane of the search. Cost: one trial is one list placement,
// given up as soon as it cannot be accepted; some 40,000 a second for ten workflows of 25 tasks.
#pragma once

#include <optional>
#include <span>

#include "dovetail/plan.hpp"
#include "dovetail/planner.hpp"

namespace dovetail::planning {

// Published plans that are `known` are not made again. If MAGS misses the deadline, the fairest
// other plan takes its place, or else the first plan that a search for an earlier end finds; if
// that is still late, it is the earliest found. Infeasible when there is no plan at all. Needs
// single_cluster_unfit to be empty.
Plan plan_fair_search(PlanningContext& context, std::optional<Time> deadline = std::nullopt,
                      std::span<const Plan> known = {});

}  // namespace dovetail::planning
