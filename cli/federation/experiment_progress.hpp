// Shows the progress and the results of an experiment over several clusters.
#pragma once

#include <string>

#include "federation/client/experiment.hpp"

namespace dovetail::cli {

class ExperimentProgress {
 public:
  explicit ExperimentProgress(std::string id) : id_(std::move(id)) {}

  // Redraws one line on a terminal; else prints a line for every tenth of the months.
  void show(const federation::ExperimentState& state);
  void clear() const;

 private:
  std::string id_;
  std::string shown_;
};

// "6 scenarios of 8 months of climate"; "a workflow".
std::string words_of_work(const federation::ExperimentFile& file);

// Prints the work of each cluster, the places of the results, and the failures.
void print_experiment(const federation::ExperimentState& state);

}  // namespace dovetail::cli
