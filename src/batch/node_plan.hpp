// Plans whose tasks are jobs of whole nodes at fixed times: in whole minutes, as batch systems
// count them, and on named nodes where these are to be reserved.
//
//   auto jobs = plan_jobs(problem, tasks, releases, live_nodes(picture, partition, {}), rules);
//   name_nodes(*jobs, workflow, node_windows(picture, partition));
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batch/live_queue.hpp"
#include "dovetail/problem.hpp"
#include "planners/replan/cluster_world.hpp"

namespace dovetail::batch {

// A job that runs one task.
struct PlannedJob {
  TaskId task = 0;
  Count nodes = 1;
  Count cores_per_node = 1;
  Count processors = 1;  // of these nodes that the task uses
  WallTime start = 0;
  Duration limit = 0;   // of the job: whole minutes
  Duration length = 0;  // for which it has the nodes; it may start a little late
  std::vector<std::string> node_names = {};

  WallTime end() const { return start + length; }
};

// Throws InputError, with the limit, when no job can run a task of the problem's one workflow: on
// one node, or on as many as it needs when jobs may spread a task; NotNow when its nodes are out of
// use.
void require_possible(const Problem& problem, const PartitionLimits& limits, Duration overhead,
                      bool is_spread);

struct NodePlanRules {
  PartitionLimits limits = {};
  Duration overhead = 0;  // the time that a job needs beside its task
  Duration slack = 0;     // how late it may start
  Goal goal = Goal::turnaround;
  std::optional<WallTime> deadline = {};
  planning::PlanMaker make_plan = {};
};

// In order of start. `nodes` has nodes as its processors and says when planning happens. `tasks`
// are of the problem's one workflow, in increasing order; `releases` are beside them: none may
// start before. Nothing when there is no plan by the deadline. Throws as require_possible.
std::optional<std::vector<PlannedJob>> plan_jobs(const Problem& problem,
                                                 const std::vector<TaskId>& tasks,
                                                 const std::vector<WallTime>& releases,
                                                 const Platform& nodes, const NodePlanRules& rules);

// Gives every job nodes that are free for all of its time, in order of start. A plan only counts
// nodes: where enough are free at every moment, but not the same ones throughout, the job starts
// later, and so do those that need it. Needs as many nodes as the largest job has. A node is free
// after its last window.
void name_nodes(std::vector<PlannedJob>& jobs, const Workflow& workflow, NodeWindows taken);

}  // namespace dovetail::batch
