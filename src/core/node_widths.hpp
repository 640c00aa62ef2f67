// On how many processors the tasks of a workflow may run on a cluster with nodes. A moldable task
// takes a part of one node, or all cores that it can use of several: a count in between would leave
// cores idle that nothing else may use. A problem gives the counts out as part of a task's time
// (Problem::time), so that planners, bounds and the checker all see the same ones.
//
//   const NodeWidths widths(workflow, cluster);
//   const TaskTime time = widths.narrowed(task, workflow.time(task));
//
// Immutable; times are views of it, like those of a workflow.
#pragma once

#include <cstdint>
#include <vector>

#include "dovetail/platform.hpp"
#include "dovetail/workflow.hpp"

namespace dovetail {

class NodeWidths {
 public:
  // Needs a checked cluster with node types.
  NodeWidths(const Workflow& workflow, const Cluster& cluster);

  // Whether the nodes can hold the task at all, if all are idle.
  bool can_hold(TaskId task) const { return of_task_[task] != kNever; }

  // The same time on the counts that the nodes can hold; unchanged when they cannot hold it.
  TaskTime narrowed(TaskId task, const TaskTime& time) const;

 private:
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};
  static constexpr std::uint32_t kAsItIs = kNever - 1;  // of one size

  std::vector<std::uint32_t> of_task_;          // position in counts_, or one of the above
  std::vector<std::vector<TimePoint>> counts_;  // increasing; Amdahl's have no times
};

}  // namespace dovetail
