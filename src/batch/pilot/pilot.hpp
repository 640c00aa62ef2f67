// The work inside a batch job: runs the tasks of its order on the nodes of the job, each as a job
// step, as they become ready.
//
// At each moment, while a node is idle and a task is ready, the shortest ready task starts (or the
// longest); ties by file order: just as the run times were estimated. A task is ready when all that
// it comes after is marked done, by this job or another. A task that cannot end in the time that is
// left is not started. The pilot ends when all its tasks are done, when no more can be started, or
// when it is asked to (SIGTERM): then running tasks are stopped first, as they are when the time is
// over: first as the batch system does it (BatchSystem::stop_steps), and by SIGTERM to the commands
// of steps that do not end.
//
// Of a node on which a task was lost, or on which steps cannot be started, nothing more is
// expected.
#pragma once

#include <string>
#include <vector>

#include "batch/pilot/pilot_file.hpp"
#include "batch/system.hpp"

namespace dovetail::batch {

// The job that we are in, and for how long: by the system's environment and the order. Throws
// InputError outside of a job.
JobAllocation allocation_for(const PilotOrder& order, const BatchSystem& system);

struct PilotOptions {
  // Between two looks for what other jobs have done: from the first to the second, growing.
  Duration first_look = 500;
  Duration last_look = 10'000;
  // Kept free at the end, to stop what still runs and to write down what happened.
  Duration margin = 5'000;
  // How long the end of an attempt, and outputs, may take from a node to here, through a shared
  // file system.
  Duration settle = 5'000;
  // How long a step that the system does not start is tried again, after pauses as long as that.
  Duration patience = 60'000;
};

// Answers why it ended: "done", "time", "failed" (a task did), "asked". When another job has begun
// this order, nothing is done and the answer is "twice".
std::string run_pilot(const run::RunFolder& folder, const PilotOrder& order,
                      const JobAllocation& allocation, const BatchSystem& system,
                      const PilotOptions& options);

// On the node, in a step: runs one task of the order in the foreground and writes its attempt
// file. Answers the exit code of the step. When the attempt has begun before, nothing is run.
// The process must have one thread and nothing else to do afterwards.
int run_step(const PilotOrder& order, std::uint32_t task, const BatchSystem& system);

}  // namespace dovetail::batch
