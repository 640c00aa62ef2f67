#include "planners/replan/workflow_part.hpp"

#include <algorithm>

namespace dovetail::planning {

namespace {

// Limits the time to the maximum of any task, however late.
TimeSpec scaled(TimeSpec spec, double factor) {
  const auto scale = [&](double& seconds) { seconds = std::min(seconds * factor, kMaxSeconds); };
  scale(spec.seconds);
  for (auto& [procs, seconds] : spec.measured) scale(seconds);
  for (auto& [resource, seconds] : spec.on_resource) scale(seconds);
  return spec;
}

}  // namespace

Workflow part_of(const Workflow& workflow, const std::vector<TaskId>& tasks,
                 const std::function<double(TaskId)>& factor_of) {
  return part_with_times(workflow, tasks, [&](TaskId task) {
    return scaled(workflow.time_spec(task), factor_of(task));
  });
}

Workflow part_with_times(const Workflow& workflow, const std::vector<TaskId>& tasks,
                         const std::function<TimeSpec(TaskId)>& time_of) {
  WorkflowBuilder builder(workflow.name());
  builder.set_terms(workflow.terms());
  for (const TaskId task : tasks) {
    builder.add_task({.id = std::string(workflow.id(task)), .time = time_of(task)});
  }
  for (TaskId number = 0; number < tasks.size(); ++number) {
    for (const TaskId before : workflow.predecessors(tasks[number])) {
      const auto from = builder.find(workflow.id(before));
      if (from) builder.add_edge(*from, number);
    }
  }
  return std::move(builder).build();
}

}  // namespace dovetail::planning
