// The work inside a batch job: runs the tasks of its order on the nodes of the job, each as a job
// step, as they become ready.
//
// At each moment, while a node is idle and a task is ready, the shortest ready task starts (or the
// longest); ties by file order: just as the run times were estimated. A task is ready when all that
// it comes after is marked done, by this job or another. A task that cannot end in the time that is
// left is not started. The pilot ends when all its tasks are done, when no more can be started, or
// when it is asked to (SIGTERM): then running tasks are stopped first, as they are when the time is
// over. Their steps are asked by scancel: SIGTERM to srun would have them killed at once, which is
// only done to those that do not end.
//
// Of a node on which a task was lost, or on which steps cannot be started, nothing more is
// expected.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "batch/pilot_file.hpp"

namespace dovetail::batch {

// The job that we are in.
struct Allocation {
  std::string job_id;
  std::vector<std::string> nodes;
  WallTime until = 0;  // when Slurm ends it

  // From SLURM_JOB_ID, SLURM_JOB_NODELIST, SLURM_JOB_END_TIME and the order. Throws InputError
  // outside of a job.
  static Allocation of_environment(const PilotOrder& order);
};

struct PilotOptions {
  // The command that runs a task of the order on a node; by default srun with `dovetail step`. Any
  // other is asked to end by SIGTERM.
  std::function<std::vector<std::string>(const std::string& node, const PilotTask& task)> step = {};
  // Between two looks for what other jobs have done: from the first to the second, growing.
  Duration first_look = 500;
  Duration last_look = 10'000;
  // Kept free at the end, to stop what still runs and to write down what happened.
  Duration margin = 5'000;
  // How long the end of an attempt, and outputs, may take from a node to here, through a shared
  // file system.
  Duration settle = 5'000;
  // How long a step that Slurm does not start is tried again, after pauses as long as that.
  Duration patience = 60'000;
};

// The command by which `program` runs a task on a node of the job that we are in. Steps share their
// node (--overlap) since the pilot itself sees to it that there is one at a time: so none has to
// wait until Slurm has put the one before away.
std::vector<std::string> srun_step(const std::string& program, const std::string& order_file,
                                   Count cores_per_node, const std::string& node,
                                   const PilotTask& task);

// The same on the node that we are on, with all that the job has.
std::vector<std::string> local_step(const std::string& program, const std::string& order_file,
                                    const PilotTask& task);

// Answers why it ended: "done", "time", "failed" (a task did), "asked". When another job has begun
// this order, nothing is done and the answer is "twice".
std::string run_pilot(const run::RunFolder& folder, const PilotOrder& order,
                      const Allocation& allocation, const PilotOptions& options);

// On the node, below srun: runs one task of the order in the foreground and writes its attempt
// file. Answers the exit code for srun. When the attempt has begun before, nothing is run.
// The process must have one thread and nothing else to do afterwards.
int run_step(const PilotOrder& order, std::uint32_t task);

}  // namespace dovetail::batch
