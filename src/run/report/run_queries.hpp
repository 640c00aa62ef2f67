// Questions about a run that need both its graph and its state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dovetail/problem.hpp"
#include "run/run_state.hpp"

namespace dovetail::run {

// By task: the number of the failed task that keeps it from running; nothing for other tasks.
std::vector<std::optional<std::size_t>> blocked_tasks(const Problem& problem,
                                                      const RunState& state);

// The number of processors of all running tasks together.
Count processors_in_use(const RunState& state);

// The unfinished task with the largest minimum of processors. Nothing when all tasks are done.
struct Need {
  Count processors = 0;
  std::size_t task = 0;
};
std::optional<Need> largest_need(const Problem& problem, const RunState& state);

// Why a task has not started, in sentences, most important first; for a started task, its state.
// `limit`: the number of processors allowed; `is_worked_on`: whether a process works on the run.
std::vector<std::string> explain(const Problem& problem, const RunState& state, std::size_t task,
                                 Count limit, bool is_worked_on);

// The same for a run without a plan.
std::vector<std::string> explain_without_plan(const Problem& problem, const RunState& state,
                                              std::size_t task, bool is_worked_on);

}  // namespace dovetail::run
