// `dovetail run` of a workflow that was run before: which run to continue, and which tasks need not
// be run again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "run/conductor.hpp"
#include "run/run_description.hpp"

namespace dovetail::run {

struct Continuation {
  // The last run of the same workflows in the same folder, when it is not done and its tasks are
  // still the same ones; else a new run has to begin.
  std::optional<RunFolder> run = {};
  std::size_t done = 0;  // tasks of it
  Time clock = 0;        // the run's own, now

  // For a new run: tasks that need not be run unless something has changed.
  std::vector<KeptTask> kept = {};

  // A run of the same workflows in the same folder on which a process works now.
  std::optional<RunFolder> at_work = {};
};

// Keeps other processes from beginning or continuing a run of the same workflows in the same folder
// until this process has the lock of its own run. Throws InputError when one is about to.
RunLock lock_beginning(const RunDescription& description);

// Needs that lock, unless nothing is begun. `jobs_left`: whether a batch system still has jobs of a
// run, in words such as "has jobs on X"; empty: it has none. `warn`: hears of runs that cannot be
// read. Throws InputError when the journal of the last run is damaged, and when its tasks still
// run, no process works on it, and it cannot be continued.
Continuation find_continuation(const RunDescription& description, const Problem& problem,
                               const std::function<std::string(const RunFolder&)>& jobs_left,
                               const std::function<void(const std::string&)>& warn);

}  // namespace dovetail::run
