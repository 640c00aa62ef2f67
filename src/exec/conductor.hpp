// Executes a run: starts what the plan says when it can, hears what ends, and writes both down
// before anything comes of it. Whatever happens to us, somebody else can go on from the journal.
#pragma once

#include <functional>
#include <memory>

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"
#include "exec/run_folder.hpp"
#include "exec/run_state.hpp"

namespace dovetail::exec {

struct RunOptions {
  Count processors = 1;
  bool keep_going = false;  // what does not need a failed task is run all the same
  std::string folder = {};  // in which the commands run
  // Called when tasks have started or ended, and for every task that has ended.
  std::function<void(const RunState& state, Count in_use)> progress = {};
  std::function<void(std::uint32_t task, const RunState& state)> ended = {};
};

enum class RunOutcome { done, failed, interrupted };

// From where the journal is to the end of the work. Needs the lock on the run, a feasible plan on
// at most that many processors, and a process with one thread. On SIGINT or SIGTERM nothing new is
// started and what runs is waited for; on a second one it is stopped. Throws ExecutionError when
// the journal cannot be written: what runs then goes on, and a later call takes it over.
RunOutcome conduct(const RunFolder& folder, const Problem& problem, const Plan& plan,
                   const RunOptions& options);

}  // namespace dovetail::exec
