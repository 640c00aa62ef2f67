// The work inside a batch job: runs the tasks of its order on the nodes of the job, each as a job
// step, as they become ready.
//
// Of the ready tasks that fit on the nodes now, the shortest starts (or the longest), ties by file
// order, just as run times were estimated. It gets cores and GPUs by number, the lowest that are
// free on its nodes. A task is ready when all that it comes after is
// marked done, by this job or another. A task that cannot end in the time that is left does not
// start. The pilot ends when all its tasks are done, when no more can start, or when it is asked to
// (SIGTERM). It stops running tasks first, as it does when the time is over. It starts nothing more
// on a node where a task was lost or steps cannot be started.
#pragma once

#include <string>
#include <vector>

#include "batch/pilot/pilot_file.hpp"
#include "batch/system.hpp"

namespace dovetail::batch {

// The job that we are in, by the system's environment and the order. Throws InputError outside of
// a job.
JobAllocation allocation_for(const PilotOrder& order, const BatchSystem& system);

struct PilotOptions {
  // Between two looks for what other jobs have done: grows from the first to the last.
  Duration first_look = 500;
  Duration last_look = 10'000;
  // Kept free at the end, to stop what still runs and to write down what happened.
  Duration margin = 5'000;
  Duration settle = 5'000;     // as in StepBackendOptions
  Duration patience = 60'000;  // likewise
};

// Answers why it ended: "done", "time", "failed" (a task did), "asked"; or "twice" when another job
// has begun this order, and this one does nothing.
std::string run_pilot(const run::RunFolder& folder, const PilotOrder& order,
                      const JobAllocation& allocation, const BatchSystem& system,
                      const PilotOptions& options);

// Where a step runs: on the first of the nodes of its task, where it has those cores and GPUs.
struct StepPlace {
  std::vector<std::string> nodes = {};  // none: whatever the system gave the step
  std::vector<int> cores = {};
  std::vector<int> gpus = {};
};

// On the node, in a step: runs one task of the order in the foreground, writes its attempt file,
// and answers the exit code of the step. An attempt that has begun before does not begin again. The
// process must have one thread and nothing else to do afterwards.
int run_step(const PilotOrder& order, std::uint32_t task, const StepPlace& place,
             const BatchSystem& system);

// The processes of a task on its nodes, as evenly as they go.
TaskHosts hosts_for(const std::vector<std::string>& nodes, Count processes);

}  // namespace dovetail::batch
