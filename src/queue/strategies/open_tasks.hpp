// A workflow as batch jobs see it: what each task takes of nodes, whole seconds, and levels.
//
//   LeveledTasks tasks(workflow, cluster);
//   tasks.level(3);   // edges on the longest path from an entry task
//
// Work is counted in nodes: a task that has half of a node for an hour is half a node-hour. Of
// cores, memory and GPUs that counts of which the tasks together need most.
//
// Immutable; any number of threads may read it.
#pragma once

#include <span>
#include <vector>

#include "dovetail/platform.hpp"
#include "dovetail/workflow.hpp"
#include "queue/policies/job.hpp"
#include "queue/strategies/node_share.hpp"

namespace dovetail::queue {

class LeveledTasks {
 public:
  // Task times as with their share of the cluster's nodes, rounded up to whole seconds, at least
  // one. Throws InputError for a task that no nodes of the cluster can hold.
  LeveledTasks(Workflow workflow, const Cluster& cluster);

  const Workflow& workflow() const { return workflow_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(times_.size()); }
  Duration time(TaskId task) const { return times_[task]; }
  std::uint32_t level(TaskId task) const { return levels_[task]; }
  std::uint32_t level_count() const { return static_cast<std::uint32_t>(level_sizes_.size()); }
  std::uint32_t level_size(std::uint32_t level) const { return level_sizes_[level]; }
  std::span<const TaskId> parents(TaskId task) const { return workflow_.predecessors(task); }
  std::span<const TaskId> children(TaskId task) const { return workflow_.successors(task); }

  // The longest path to an exit, the task's own time included.
  Duration bottom_level(TaskId task) const { return bottom_levels_[task]; }

  // In node-milliseconds.
  Duration work() const { return work_; }

  // Whether every task takes a node, which it shares with no other.
  bool is_plain() const { return sharing_.demand_of.empty(); }
  // How the tasks share nodes, unless they are plain.
  const NodeSharing& sharing() const { return sharing_; }
  // The nodes that a task needs.
  Count nodes(TaskId task) const { return is_plain() ? 1 : sharing_.demand(task).nodes; }

 private:
  Workflow workflow_;
  std::vector<Duration> times_;
  std::vector<std::uint32_t> levels_;
  std::vector<std::uint32_t> level_sizes_;
  std::vector<Duration> bottom_levels_;
  NodeSharing sharing_;
  Duration work_ = 0;
};

// Some of the tasks, in file order.
struct TaskSet {
  std::vector<TaskId> tasks;
  std::uint32_t first_level = 0;
  std::uint32_t last_level = 0;
  Count width = 0;            // nodes on which the tasks of any one level can run at once
  Count least_nodes = 0;      // which the largest task needs
  Duration work = 0;          // rounded down
  Duration path = 0;          // the longest one; tasks outside the set cut it
  bool whole_levels = false;  // all tasks of the levels first to last
};

// However tasks are picked and placed, this number of nodes needs at least this long.
inline Duration shortest_run(const TaskSet& set, Count nodes) {
  const Duration shared = (set.work + nodes - 1) / nodes;
  return shared > set.path ? shared : set.path;
}

// Needs tasks in file order.
TaskSet make_set(const LeveledTasks& all, std::vector<TaskId> tasks);

}  // namespace dovetail::queue
