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

#include "federation/client/experiment.hpp"
#include "federation/client/offers.hpp"
#include "federation/net/http_client.hpp"
#include "run/run_folder.hpp"

namespace dovetail::federation {

struct ExperimentOptions {
  std::string agent;                   // URL of the master
  Duration deadline = 5'000;           // for answers of daemons
  Duration lost_after = 30'000;        // who gives no answer for so long is lost
  Duration look_again = 10'000;        // between two looks at whether scenarios should move
  std::string repartition = "greedy";  // or "round-robin", to compare
  double worth = 0.9;                  // they do when the rest would take less than this part of it
  std::function<void(const std::string& line)> say = [](auto&&...) {};
  std::function<void(const ExperimentState&)> progress = [](auto&&...) {};
  std::function<bool()> interrupted = [] { return false; };
};

enum class ExperimentEnd { done, failed, interrupted, cancelled };

// The state of an experiment that is kept in the folder; nothing is known of months.
ExperimentState read_experiment_state(const run::RunFolder& folder, const ExperimentFile& file);

// From where the journal is to the end; what has failed is tried again. A letter {"what": "cancel"}
// in the folder's mailbox cancels it. Throws ExecutionError when the agent does not answer at first
// or knows no cluster, InputError when no cluster offers what is asked for.
ExperimentEnd run_experiment(const run::RunFolder& folder, const ExperimentFile& file,
                             const Caller& caller, const ExperimentOptions& options);

// It has ended, unless it is done, and all daemons that may be at a part of it are told so. Returns
// those that could not be; again later tells them. Needs the folder's lock.
std::vector<std::string> cancel_experiment(const run::RunFolder& folder, const ExperimentFile& file,
                                           const Caller& caller);

}  // namespace dovetail::federation
