// How far an experiment over several clusters is, for people.
#pragma once

#include <string>

#include "federation/client/experiment.hpp"

namespace dovetail::cli {

class ExperimentProgress {
 public:
  explicit ExperimentProgress(std::string id) : id_(std::move(id)) {}

  // A line that is redrawn on a terminal; else a line for every tenth of the months.
  void show(const federation::ExperimentState& state);
  void clear() const;

 private:
  std::string id_;
  std::string shown_;
};

// "6 scenarios of 8 months of climate"; "a workflow".
std::string words_of_work(const federation::ExperimentFile& file);

// What each cluster did, where the results are, and what has failed.
void print_experiment(const federation::ExperimentState& state);

}  // namespace dovetail::cli
