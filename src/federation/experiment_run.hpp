// The client of a federation: gives the scenarios of an experiment to clusters, watches all of
// them, and gives what is not done to others when a cluster is lost, or when that ends the whole
// earlier.
//
//   run_experiment(folder, file, caller, {.agent = url}, interrupted);
//
// What it decides is in its journal first: killed and started again, it goes on.
#pragma once

#include <functional>
#include <string>

#include "exec/run_folder.hpp"
#include "federation/experiment.hpp"
#include "federation/http_client.hpp"
#include "federation/offers.hpp"

namespace dovetail::federation {

struct ExperimentOptions {
  std::string agent;                   // URL of the master
  Duration deadline = 5'000;           // for answers of daemons
  Duration lost_after = 30'000;        // a daemon that is silent for so long is lost
  Duration look_again = 10'000;        // between two looks at whether scenarios should move
  std::string repartition = "greedy";  // or "round-robin", to compare
  double worth = 0.9;                  // they do when the rest would take less than this part of it
  std::function<void(const std::string& line)> say = [](auto&&...) {};
  std::function<void(const ExperimentState&)> progress = [](auto&&...) {};
  std::function<bool()> interrupted = [] { return false; };
};

enum class ExperimentEnd { done, failed, interrupted };

// The state of an experiment that is kept in the folder; nothing is known of months.
ExperimentState read_experiment_state(const exec::RunFolder& folder, const ExperimentFile& file);

// From where the journal is to the end. Throws ExecutionError when the agent does not answer at
// first, InputError when no daemon offers the service, or one refuses its parameters.
ExperimentEnd run_experiment(const exec::RunFolder& folder, const ExperimentFile& file,
                             const Caller& caller, const ExperimentOptions& options);

// Cancels all parts; returns those daemons that could not be told.
std::vector<std::string> cancel_experiment(const exec::RunFolder& folder,
                                           const ExperimentFile& file, const Caller& caller);

}  // namespace dovetail::federation
