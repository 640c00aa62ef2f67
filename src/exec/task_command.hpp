// What the launcher is told about an attempt of a task.
#pragma once

#include <string>

#include "dovetail/problem.hpp"
#include "exec/launcher.hpp"
#include "exec/run_folder.hpp"
#include "exec/run_state.hpp"

namespace dovetail::exec {

// The attempt that the status says has started. `run_folder`: where the run was started.
TaskCommand command_of(const RunFolder& folder, const Problem& problem,
                       const std::string& run_folder, std::uint32_t task, const TaskStatus& status);

}  // namespace dovetail::exec
