// The client of a federation: distributes the scenarios of an experiment over clusters and watches
// them. It moves unfinished scenarios to other clusters when a cluster is lost, or when that makes
// the experiment end earlier.
//
//   run_experiment(folder, file, caller, {.agent = url}, interrupted);
//
// Every decision goes into the journal first, so a killed client can be restarted and resumes.
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
  Duration lost_after = 30'000;        // a daemon silent for this long is lost
  Duration look_again = 10'000;        // between checks whether scenarios should move
  std::string repartition = "greedy";  // or "round-robin", to compare
  double worth = 0.9;                  // move if the rest takes less than this share of its time
  std::function<void(const std::string& line)> say = [](auto&&...) {};
  std::function<void(const ExperimentState&)> progress = [](auto&&...) {};
  std::function<bool()> interrupted = [] { return false; };
};

enum class ExperimentEnd { done, failed, interrupted, cancelled };

// Runs the experiment from the state in the journal to the end; failed scenarios are tried again. A
// message {"what": "cancel"} in the folder's mailbox cancels it. Throws ExecutionError when the
// agent does not answer at the start or knows no cluster, InputError when no cluster offers what is
// requested.
ExperimentEnd run_experiment(const run::RunFolder& folder, const ExperimentFile& file,
                             const Caller& caller, const ExperimentOptions& options);

// Ends the experiment unless it is done, and cancels its parts at all daemons that may compute one.
// Returns the daemons that could not be reached; a later call tells them. Needs the folder's lock.
std::vector<std::string> cancel_experiment(const run::RunFolder& folder, const ExperimentFile& file,
                                           const Caller& caller);

}  // namespace dovetail::federation
