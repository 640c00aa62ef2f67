// Runs on a batch system as their description (run.json) says: the command line and the daemon go
// through here alike.
//
//   const auto system = system_of(description, {.patience = 0});
//   conduct(folder, problem, options_of(description), *system, interrupts);
#pragma once

#include <memory>
#include <string>

#include "batch/job_run_options.hpp"
#include "batch/system.hpp"
#include "dovetail/platform.hpp"
#include "run/known_run.hpp"

namespace dovetail::batch {

// How long to wait between two questions to the system: $DOVETAIL_NAME_POLL, with its name in
// capitals. Test clusters decide faster than real ones. Throws InputError when it is no duration.
Duration poll_interval(const std::string& system);

// The partition as it is in the picture, as one cluster whose nodes are alike.
Platform platform_of(const ClusterPicture& picture, const std::string& partition);

// These need a description with a batch system.
std::unique_ptr<BatchSystem> system_of(const run::RunDescription& description,
                                       const CallOptions& options = {});
JobRunOptions options_of(const run::RunDescription& description);

// Throws InputError when a task breaks a limit of the partition, before anything is submitted.
void require_possible(const run::RunDescription& description, const Problem& problem,
                      const ClusterPicture& picture);

// Ends the tasks or jobs of a run that no process works on, here or on a batch system, and writes
// down that it is cancelled. Answers how many jobs there were. Needs the lock on it.
std::size_t cancel(const run::KnownRun& run);

}  // namespace dovetail::batch
