// A run as the pictures of plans draw it.
//
//   const PlanRecord before = planned_record(problem, state);
//   const PlanRecord after = executed_record(problem, state);
//   write_file("run.svg", before_after_svg(before, after));
//
// Times count from the run's beginning, by its own clock. Needs a problem with one cluster, and the
// run of that problem. All functions are pure.
#pragma once

#include <vector>

#include "dovetail/plan_record.hpp"
#include "dovetail/problem.hpp"
#include "run/run_state.hpp"

namespace dovetail::run {

// By task: the attempt by which it is done; nothing while it is not, and when it was kept from
// another run.
std::vector<const PastAttempt*> successes(const RunState& state);

// The first plan. Tasks that were kept before there was one are not in it.
PlanRecord planned_record(const Problem& problem, const RunState& state);

// What has happened: of every task that is done the attempt that counts, all other attempts that
// are over as lost ones, and the decisions as history, the first plan being its "start". Nothing
// else is in it: neither tasks that run, nor those that were kept or have not been run.
PlanRecord executed_record(const Problem& problem, const RunState& state);

// The same of a run that goes on, with the rest as it is expected: what runs ends as planned, or
// now when it is late, and what waits starts by the plan in force as soon as it can. What will
// never run, as something that it needs has failed, is left out.
PlanRecord outlook_record(const Problem& problem, const RunState& state, Time now);

}  // namespace dovetail::run
