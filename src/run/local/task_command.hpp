// What the launcher is told about an attempt of a task.
#pragma once

#include <string>

#include "dovetail/problem.hpp"
#include "run/local/launcher.hpp"
#include "run/run_folder.hpp"
#include "run/run_state.hpp"

namespace dovetail::run {

// The attempt that the status says has started. `run_folder`: where the run was started.
StepCommand command_of(const RunFolder& folder, const Problem& problem,
                       const std::string& run_folder, std::uint32_t task, const TaskStatus& status);

}  // namespace dovetail::run
