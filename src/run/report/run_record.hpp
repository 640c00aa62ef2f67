// A run as a plan record, for the pictures of plans.
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

// By task: the successful attempt; null while the task is not done, or when it was kept from
// another run.
std::vector<const PastAttempt*> successes(const RunState& state);

// The first plan, without the tasks that were kept before.
PlanRecord planned_record(const Problem& problem, const RunState& state);

// The past: the successful attempt of every done task, all other finished attempts as lost ones,
// and the decisions as history, beginning with the first plan as "start". Running, kept and
// unstarted tasks are left out.
PlanRecord executed_record(const Problem& problem, const RunState& state);

// The past and the expected rest of a run in progress: running tasks end as planned, or now if they
// are late, and waiting tasks start as soon as they can by the current plan. Tasks that wait for a
// failed one are left out.
PlanRecord outlook_record(const Problem& problem, const RunState& state, Time now);

}  // namespace dovetail::run
