// dovetail run over the clusters of a federation.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/command.hpp"
#include "federation/client/experiment.hpp"
#include "run/run_folder.hpp"

namespace dovetail::cli {

struct FederationArguments {
  std::string agent = {};
  std::string keys = {};
  double deadline = 5;     // seconds for answers
  double lost_after = 30;  // seconds
  double look_again = 10;  // seconds
  std::string repartition = "greedy";
  bool cancels = false;

  void add(CLI::App& command);
  // Throws InputError when one is given that needs an agent.
  void require_none() const;
};

// Runs an ensemble over the clusters, or a workflow on the cluster where it ends first.
Exit run_federated(const std::string& file, const FederationArguments& arguments, bool is_new,
                   bool is_dry);

// Whether the file is a readable ensemble.
bool is_ensemble(const std::string& path);

// The state of an experiment according to its journal: finished scenarios, but not months.
struct KnownExperiment {
  // Throws when it cannot be read.
  explicit KnownExperiment(const run::RunFolder& folder);

  // "running": a client here watches it; "left alone": the clusters go on without one.
  std::string condition() const;

  run::RunFolder folder;
  federation::ExperimentState state;
};

// The folder of the experiments.
std::string experiments_folder();

}  // namespace dovetail::cli
