// Some of a workflow's tasks as a workflow of their own, with times as they are known by now.
#pragma once

#include <functional>
#include <vector>

#include "dovetail/workflow.hpp"

namespace dovetail {

// The tasks, in increasing order, and the edges between them, without what only their execution
// needs; `factor_of` says how many times as long each takes.
Workflow part_of(const Workflow& workflow, const std::vector<TaskId>& tasks,
                 const std::function<double(TaskId)>& factor_of);

// The same with a time for each.
Workflow part_with_times(const Workflow& workflow, const std::vector<TaskId>& tasks,
                         const std::function<TimeSpec(TaskId)>& time_of);

}  // namespace dovetail
