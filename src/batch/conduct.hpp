// Executes a run on a batch system: a strategy cuts the workflow into jobs, which wait in the queue
// and run their tasks on their own; the conductor reads what they did and submits what comes next.
// Whatever happens to it, the jobs go on, and another process can go on from the journal.
#pragma once

#include "batch/job_run_options.hpp"
#include "batch/system.hpp"
#include "dovetail/problem.hpp"
#include "run/conductor.hpp"

namespace dovetail::batch {

// Continues from the end of the journal to the end of the work. Needs the lock on the run and a
// problem with one workflow. Interrupted, it leaves the jobs to themselves, unless it is cancelled.
// Throws ExecutionError when the journal cannot be written or when jobs end again and again without
// having done anything, Refused when the system does not take a job, and InputError when a job
// would break a limit of the partition; options.say then tells what is left in the queue.
run::RunEnd conduct(const run::RunFolder& folder, const Problem& problem,
                    const JobRunOptions& options, BatchSystem& system, run::Interrupts& interrupts);

// Ends the jobs of a run that no process works on, gives back what is reserved for them, and writes
// down that it is cancelled, unless it is done. Answers how many jobs there were. Needs the lock on
// it.
std::size_t cancel(const run::RunFolder& folder, const Problem& problem,
                   const JobRunOptions& options, BatchSystem& system);

}  // namespace dovetail::batch
