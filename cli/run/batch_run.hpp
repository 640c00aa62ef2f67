// dovetail run on a batch system. The cluster is looked at once; what is decided before the first
// job is submitted is decided by that picture.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "batch/job_records.hpp"
#include "cli/command.hpp"
#include "run/conductor.hpp"
#include "run/run_description.hpp"

namespace dovetail::cli {

// Where a run on a batch system goes.
struct BatchPlace {
  std::string system;     // a name of batch::systems()
  std::string partition;  // empty: the default one
  batch::ClusterPicture picture = {};
};

struct BatchArguments {
  std::string partition = {};
  std::string strategy = {};
  std::string reserve = {};
  Count max_jobs = 0;

  void add(CLI::App& command);

  // Nothing unless -c asks for a batch system, by its name or with a cluster file that does. Throws
  // ExecutionError when the system is not installed or does not answer.
  std::optional<BatchPlace> place(const std::string& cluster) const;

  // Throws InputError when an option is given that only batch systems understand.
  void require_none() const;

  // How a run would go. Throws InputError for a strategy that does not exist, one beside planned
  // starts, starts that the system cannot plan, and several workflows.
  run::BatchDescription describe(const run::RunDescription& run, const BatchPlace& place) const;
};

// The queue as it is now, if -c asks for a batch system; else nothing. Throws as
// BatchArguments::place.
std::optional<Platform> live_cluster(const std::string& cluster, const std::string& partition);

// Needs the lock on the run. Without a picture the cluster is looked at.
Exit conduct_jobs(const run::RunFolder& folder, const run::RunDescription& description,
                  const Problem& problem, const std::vector<run::KeptTask>& kept,
                  std::optional<batch::ClusterPicture> picture = {});

// Of a run with planned starts, how long it would take by a plan made now; nothing when there is
// none by its deadline.
std::optional<Duration> planned_time(const run::RunDescription& description, const Problem& problem,
                                     const batch::ClusterPicture& picture);

// Writes the scripts of the jobs that would be submitted now, for people to look at or to submit.
Exit write_scripts(const run::RunDescription& description, const Problem& problem,
                   const batch::ClusterPicture& picture);

}  // namespace dovetail::cli
