// Numbers that describe a plan.
#pragma once

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"

namespace dovetail {

// Last end minus now; 0 without placements.
Duration makespan(const Plan& plan);

// The same for one workflow of the plan.
Duration makespan(const Plan& plan, std::size_t workflow);

// How long the workflow takes from when it is ready on: its last end minus that moment.
Duration makespan(const Problem& problem, const Plan& plan, std::size_t workflow);

// Sum of processors x duration, in processor-milliseconds, and in hours.
Area consumed(const Plan& plan);
double cpu_hours(const Plan& plan);

// By how much the plan is longer, or dearer where its certificate is about that, than the best one
// can be: 0.021 for 2.1 %. Nothing without a certificate.
std::optional<double> certified_gap(const Plan& plan);

// The most processors that the plan holds at any moment, over all clusters.
Count peak_procs(const Plan& plan);

}  // namespace dovetail
