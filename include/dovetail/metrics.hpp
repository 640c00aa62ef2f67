// Numbers that describe a plan.
#pragma once

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"

namespace dovetail {

// Last end minus now; 0 without placements.
Duration makespan(const Plan& plan);

// The same for one workflow of the plan.
Duration makespan(const Plan& plan, std::size_t workflow);

// The last end of the workflow minus the time at which it is ready.
Duration makespan(const Problem& problem, const Plan& plan, std::size_t workflow);

// Sum of processors x duration: in processor-milliseconds, and in hours.
Area consumed(const Plan& plan);
double cpu_hours(const Plan& plan);

// By how much at most the plan is longer than the best one (or uses more CPU time, where its
// certificate bounds that): 0.021 for 2.1 %. Nothing without a certificate.
std::optional<double> certified_gap(const Plan& plan);

// The largest number of processors the plan holds at any moment, over all clusters.
Count peak_procs(const Plan& plan);

}  // namespace dovetail
