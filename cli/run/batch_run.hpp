// dovetail run on Slurm.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "run/conductor.hpp"
#include "run/run_description.hpp"

namespace dovetail::cli {

// Where a run on Slurm goes.
struct SlurmPlace {
  std::string partition;  // empty: the default one
  Platform platform;      // the cluster as Slurm has it now, its nodes alike
};

struct SlurmArguments {
  std::string partition = {};
  std::string strategy = {};
  std::string reserve = {};
  Count max_jobs = 0;

  void add(CLI::App& command);

  // Nothing unless -c asks for Slurm, by that word or with a cluster file that does. Throws
  // ExecutionError when Slurm is not installed or does not answer.
  std::optional<SlurmPlace> place(const std::string& cluster) const;

  // Throws InputError when one is given that only Slurm understands.
  void require_none() const;

  // How a run would go. Throws InputError for a strategy that does not exist, one beside planned
  // starts, and several workflows.
  run::BatchDescription describe(const run::RunDescription& run, const std::string& where) const;
};

// Between two questions to Slurm: $DOVETAIL_SLURM_POLL. Test clusters decide faster than real ones.
Duration slurm_poll_interval();

// The queue as it is now, if -c asks for Slurm; else nothing. Throws as SlurmArguments::place.
std::optional<Platform> live_slurm(const std::string& cluster, const std::string& partition);

// Needs the lock on the run.
Exit conduct_on_slurm(const run::RunFolder& folder, const run::RunDescription& description,
                      const std::vector<run::KeptTask>& kept);

// Throws InputError when a task breaks a limit of the partition, before anything is done.
void require_possible_on_slurm(const run::RunDescription& description);

// Of a run with planned starts, how long it would take by a plan made now; nothing when there is
// none by its deadline.
std::optional<Duration> planned_time(const run::RunDescription& description);

// Writes the scripts of the jobs that would be submitted now, for people to look at or to submit.
Exit write_slurm_scripts(const run::RunDescription& description);

std::size_t cancel_on_slurm(const run::RunFolder& folder, const run::RunDescription& description);

}  // namespace dovetail::cli
