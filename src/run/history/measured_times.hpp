// Times of tasks whose file gives none, from what earlier runs on this machine took, and the other
// way round: what a run took, for later ones.
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
  // What a task that was never run is: an error, or taken to be like most tasks.
  enum class Unknown { is_error, is_assumed };

  // `warn`: hears that the history cannot be read; then nothing is known.
  MeasuredTimes(Unknown unknown, const std::string& machine, const Warn& warn);

  std::optional<TimeSpec> operator()(const UntimedTask& task);

  // What was estimated from what, and what was assumed: lines for people.
  std::vector<std::string> notes() const { return estimator_.notes(); }

  // Tasks, as "workflow/id", about which nothing was known.
  std::vector<std::string> assumed() const;

 private:
  Unknown unknown_;
  std::optional<PerformanceHistory> history_;
  Estimator estimator_;
};

// Adds what the tasks of a run took. `warn`: hears that the history cannot be written.
void add_to_history(const RunFolder& folder, const RunDescription& description,
                    const Problem& problem, const RunState& state, const Warn& warn);

}  // namespace dovetail::run
