// Some of a workflow's tasks as a separate workflow, with the times known by now.
#pragma once

#include <functional>
#include <vector>

#include "dovetail/workflow.hpp"

namespace dovetail::planning {

// The tasks, in increasing order, and the edges between them, without execution details;
// `factor_of` gives the factor on each task's time.
Workflow part_of(const Workflow& workflow, const std::vector<TaskId>& tasks,
                 const std::function<double(TaskId)>& factor_of);

// The same with a given time for each task.
Workflow part_with_times(const Workflow& workflow, const std::vector<TaskId>& tasks,
                         const std::function<TimeSpec(TaskId)>& time_of);

}  // namespace dovetail::planning
