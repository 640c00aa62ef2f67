// Times of tasks whose file gives none, from what earlier runs on this machine took, and the other
// way round: what a run took, for later ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/run/known_run.hpp"
#include "dovetail/io.hpp"
#include "run/history/predictor.hpp"

namespace dovetail::cli {

// For WorkflowReadOptions::missing_time, as std::ref.
class MeasuredTimes {
 public:
  // What a task that was never run is: an error, or taken to be like most tasks.
  enum class Unknown { is_error, is_assumed };

  explicit MeasuredTimes(Unknown unknown, const std::string& machine = run::machine_name());

  std::optional<TimeSpec> operator()(const UntimedTask& task);

  // What was estimated from what, and what was assumed, on standard error.
  void print_notes() const;

  // Tasks, as "workflow/id", about which nothing was known.
  std::vector<std::string> assumed() const;

 private:
  Unknown unknown_;
  std::optional<run::PerformanceHistory> history_;
  run::Estimator estimator_;
};

// Adds what the tasks of a run took. A history that cannot be written is a warning.
void add_to_history(const run::RunFolder& folder, const RunDescription& description,
                    const Problem& problem, const run::RunState& state);

}  // namespace dovetail::cli
