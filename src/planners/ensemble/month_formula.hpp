// How long an ensemble takes on one cluster, without simulating it.
//
// Source: Caniou et al. 2009, equations 1 to 5, with the repairs that docs/ensembles.md lists. The
// main part is exact for equal groups: taken in turn, no wave of months has two of one scenario.
// Post tasks never pass the end of a wave here, so that a simulation is never later.
#pragma once

#include "planners/ensemble/grouping.hpp"

namespace dovetail::planning {

// nb groups of one size on `processors`: the formulas. Needs 1 <= nb <= problem.scenarios.
Duration equal_groups_makespan(const MonthProblem& problem, Count processors, GroupTime size,
                               Count groups);

// For any grouping: the formulas where groups are equal, else an estimate: months as if chains did
// not matter, and post tasks at the rate of the processors that do them.
Duration formula_makespan(const MonthProblem& problem, const Grouping& grouping);

// The earliest moment by which the groups can have computed this number of months if they never
// wait: the least t with sum of floor(t / time) >= months. No schedule ends its main tasks earlier.
Duration least_time_of_months(const MonthProblem& problem, std::span<const Count> groups,
                              std::int64_t months);

}  // namespace dovetail::planning
