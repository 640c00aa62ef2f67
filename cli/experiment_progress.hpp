// How far an experiment over several clusters is, for people.
#pragma once

#include <optional>
#include <string>

#include "federation/experiment.hpp"

namespace dovetail::cli {

class ExperimentProgress {
 public:
  explicit ExperimentProgress(std::string id) : id_(std::move(id)) {}

  // A line that is redrawn on a terminal; else a line for every tenth of the months.
  void show(const federation::ExperimentState& state);
  void clear() const;

  // What each cluster did, once it is over.
  void print_table() const;

 private:
  std::string id_;
  std::optional<federation::ExperimentState> last_;
  int tenths_ = -1;
};

}  // namespace dovetail::cli
