// Questions about a run that need both its graph and its state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dovetail/problem.hpp"
#include "run/run_state.hpp"

namespace dovetail::run {

// By task: the failed task, as its number, because of which it will not be run; nothing of others.
std::vector<std::optional<std::size_t>> blocked_tasks(const Problem& problem,
                                                      const RunState& state);

// How many processors the tasks that run have together.
Count processors_in_use(const RunState& state);

// The largest number of processors without which some task that is not done cannot run, and that
// task. Nothing when all are done.
struct Need {
  Count processors = 0;
  std::size_t task = 0;
};
std::optional<Need> largest_need(const Problem& problem, const RunState& state);

// Why a task has not started: what it waits for, in sentences, most important first. `limit`: the
// processors that may be used; `is_worked_on`: whether a process works on the run. Of a task that
// has started: what it does instead.
std::vector<std::string> explain(const Problem& problem, const RunState& state, std::size_t task,
                                 Count limit, bool is_worked_on);

// The same of a run that does not go by a plan.
std::vector<std::string> explain_without_plan(const Problem& problem, const RunState& state,
                                              std::size_t task, bool is_worked_on);

}  // namespace dovetail::run
