// The input of planning: workflows, the platform, and the goal. Checked when built and immutable
// afterwards, so planners rely on it. Copies are cheap.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dovetail/platform.hpp"
#include "dovetail/workflow.hpp"

namespace dovetail {

class NodeWidths;

enum class Goal { turnaround, deadline, fair };

// A task of one of several workflows.
struct TaskRef {
  std::uint32_t workflow = 0;
  TaskId task = 0;
  friend bool operator==(const TaskRef&, const TaskRef&) = default;
};

class Problem {
 public:
  // Throws InputError when there is no workflow, when two workflows have the same name, when a task
  // needs more processors than any cluster has, when no nodes can hold it, when a task has no time
  // on any resource, when a workflow's ready time is a date and the platform's clock has no dates
  // (or the other way round), or when the goal is a deadline and none is given.
  Problem(std::vector<Workflow> workflows, Platform platform, Goal goal = Goal::turnaround,
          std::optional<Time> deadline = std::nullopt);

  std::span<const Workflow> workflows() const { return workflows_; }
  const Platform& platform() const { return platform_; }
  Goal goal() const { return goal_; }
  std::optional<Time> deadline() const { return deadline_; }
  Time now() const { return platform_.now(); }

  std::size_t task_count() const;

  // Maps a task number, counted by workflow and then by task, to the task.
  TaskRef task_at(std::size_t number) const;
  std::size_t number_of(TaskRef task) const;

  // The task's id, or "workflow/id" if there are several workflows.
  std::string task_name(std::size_t number) const;

  // The same problem with a release time per task, by workflow and then by task. It is for tasks
  // that need input from outside.
  Problem with_releases(std::vector<Time> releases) const;

  // When the workflow may begin: now or later.
  Time ready(std::size_t workflow) const;

  // When the task may begin: not before its workflow, nor before its input from outside arrives.
  Time release(std::size_t workflow, TaskId task) const;

  // Whether a task may run on procs processors of a cluster, and nodes that are idle could hold it.
  bool allows(std::size_t workflow, TaskId task, std::size_t cluster, Count procs) const;

  // How long the task runs there, and on how many processors: on a cluster with nodes, those that
  // the nodes can hold. Needs the task to run on that cluster at all. A view of the problem.
  TaskTime time(std::size_t workflow, TaskId task, std::size_t cluster) const;

 private:
  // Null where any count will do.
  const NodeWidths* widths_of(std::size_t workflow, std::size_t cluster) const;

  std::vector<Workflow> workflows_;
  Platform platform_;
  // By workflow, then cluster: the cluster's position in the workflow's resource names, or -1.
  std::vector<std::vector<std::int32_t>> resources_;
  // By workflow, then cluster, for clusters with nodes; empty when no cluster has any.
  std::vector<std::vector<std::shared_ptr<const NodeWidths>>> widths_;
  Goal goal_;
  std::optional<Time> deadline_;
  bool counts_nodes_ = false;        // a task needs something of nodes, or a cluster describes them
  std::vector<Time> releases_ = {};  // by workflow and task; empty: now
};

}  // namespace dovetail
