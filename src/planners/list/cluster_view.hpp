// A workflow on one cluster: how long each task runs on how many of its processors. Several
// workflows become one, side by side. Every planner for a single cluster starts from this. Cheap to
// copy; read-only and safe to share between threads.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dovetail/problem.hpp"
#include "planners/list/slot.hpp"

namespace dovetail::planning {

class ClusterView {
 public:
  // Needs single_cluster_unfit(problem) to be empty.
  explicit ClusterView(const Problem& problem);

  // One of the workflows by itself. Does not support place().
  ClusterView(const Problem& problem, std::size_t workflow);

  // The tasks and edges; times are here only.
  const Workflow& workflow() const { return workflow_; }
  std::size_t size() const { return times_.size(); }
  Count processors() const { return processors_; }
  const TaskTime& time(TaskId task) const { return times_[task]; }
  Time release(TaskId task) const { return releases_[task]; }  // the earliest start

  // The largest count that the task may use and that is at most `procs`, but never less than the
  // task's least.
  Count bounded(TaskId task, Count procs) const;

  // The tasks (in increasing order) and the edges between them, as a separate workflow. Does not
  // support place().
  ClusterView part(std::span<const TaskId> tasks) const;

  // The same tasks with every edge reversed. Does not support place().
  ClusterView reversed() const;

  // Adds the placement of a task of the view to a plan of the problem.
  void place(Plan& plan, TaskId task, const Slot& slot) const;

 private:
  ClusterView() = default;
  void add_tasks(const Problem& problem, std::size_t workflow);

  Workflow workflow_;
  std::vector<TaskId> first_task_ = {0};  // of each workflow of the problem
  std::vector<TaskTime> times_;
  std::vector<Time> releases_;
  Count processors_ = 0;
};

// Why a planner for a single cluster cannot plan the problem; empty when it can.
std::string single_cluster_unfit(const Problem& problem);

// For each task, the length of the longest path that begins with it, with the given processors.
std::vector<Duration> bottom_levels(const ClusterView& view, std::span<const Count> allocation);

// Tasks by decreasing level, ties to the lower number. Durations are at least 1 ms, so levels
// decrease along every edge and the order is topological.
std::vector<TaskId> by_decreasing_level(std::span<const Duration> levels);

// A cluster of which a user may use only `limit` processors. At every moment as many are free as
// the cluster has free, but no more than the limit. If others have reserved nothing, the limit may
// exceed the cluster's size, and then becomes its new size. Needs limit >= 1.
Cluster limited_cluster(const Platform& platform, Count limit);

}  // namespace dovetail::planning
