// Estimates the times of tasks whose file gives none from earlier runs on this machine, and records
// the times of a run for later ones.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dovetail/io.hpp"
#include "run/history/predictor.hpp"
#include "run/run_description.hpp"
#include "run/run_state.hpp"

namespace dovetail::run {

using Warn = std::function<void(const std::string&)>;

// For WorkflowReadOptions::missing_time, as std::ref.
class MeasuredTimes {
 public:
  // How to treat a task that was never run: as an error, or with an assumed time.
  enum class Unknown { is_error, is_assumed };

  // Calls `warn` when the history cannot be read; then all times are unknown.
  MeasuredTimes(Unknown unknown, const std::string& machine, const Warn& warn);

  std::optional<TimeSpec> operator()(const UntimedTask& task);

  // For people, a line each: the sources of the estimates, and the assumptions.
  std::vector<std::string> notes() const { return estimator_.notes(); }

  // The tasks with an assumed time, as "workflow/id".
  std::vector<std::string> assumed() const;

 private:
  Unknown unknown_;
  std::optional<PerformanceHistory> history_;
  Estimator estimator_;
};

// Adds the times of a run's tasks. Calls `warn` when the history cannot be written.
void add_to_history(const RunFolder& folder, const RunDescription& description,
                    const Problem& problem, const RunState& state, const Warn& warn);

}  // namespace dovetail::run
