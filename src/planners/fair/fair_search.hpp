// The planner DOVETAIL_FAIR: starts from the published plans for several workflows and improves on
// them by search.
//
// Source: ours. Idea: as DOVETAIL (anytime.hpp), with the makespan and the average and maximum
// stretch beside those of MAGS as what is made small (fair_scale.hpp). Never worse than MAGS in any
// of the three, so that what MAGS promises holds for this plan as well. Stretches are against the
// same times alone. CPU time is limited to a multiple of what MAGS uses (search.hpp). Ties: equal
// plans to the cheaper one, then to the first lane of the search. Cost: one trial is one list
// placement that is given up as soon as it cannot be accepted; some 40,000 a second for ten
// workflows of 25 tasks.
#pragma once

#include <optional>
#include <span>

#include "dovetail/plan.hpp"
#include "dovetail/planner.hpp"

namespace dovetail {

// Published plans that are `known` are not made again. Where MAGS has no plan by the deadline, the
// fairest of the others stands for it, or else the first that is found by a search for an earlier
// end; a plan that is late still is the earliest found. Infeasible when there is none at all. Needs
// single_cluster_unfit to be empty.
Plan plan_fair_search(PlanningContext& context, std::optional<Time> deadline = std::nullopt,
                      std::span<const Plan> known = {});

}  // namespace dovetail
