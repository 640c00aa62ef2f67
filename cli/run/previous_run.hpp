// `dovetail run` of a workflow that was run before: what there is to go on with, and what need not
// be run again.
#pragma once

#include <optional>
#include <vector>

#include "cli/run/run_description.hpp"
#include "run/conductor.hpp"

namespace dovetail::cli {

struct Continuation {
  // The last run of the same workflows in the same folder, when it is not done and its tasks are
  // still the same ones; else a new run has to begin.
  std::optional<run::RunFolder> run = {};
  std::size_t done = 0;  // tasks of it
  Time clock = 0;        // the run's own, now

  // For a new run: tasks that need not be run unless something has changed.
  std::vector<run::KeptTask> kept = {};

  // A run of the same workflows in the same folder on which a process works now.
  std::optional<run::RunFolder> at_work = {};
};

// Throws InputError when tasks of the last run still run, nobody works on it, and it cannot be gone
// on with.
Continuation find_continuation(const RunDescription& description, const Problem& problem);

}  // namespace dovetail::cli
