#include "batch/node_plan.hpp"

#include <algorithm>
#include <map>

#include "batch/batch_errors.hpp"
#include "dovetail/error.hpp"
#include "io/text.hpp"
#include "planners/list/pull_forward.hpp"
#include "planners/replan/workflow_part.hpp"
#include "queue/strategies/node_share.hpp"

namespace dovetail::batch {

namespace {

Count nodes_for(Count processors, Count cores_per_node) {
  return (processors + cores_per_node - 1) / cores_per_node;
}

// How long the job of a task is by its number of nodes, as far as the partition allows it.
TimeSpec time_in_nodes(const TaskTime& time, const std::string& name, const NodePlanRules& rules) {
  const Count cores = rules.limits.cores_per_node;
  const Count first = std::max(rules.limits.min_nodes, nodes_for(time.min_procs(), cores));
  std::string broken = broken_limit(rules.limits, first, 0);
  const Count usable = rules.limits.most_nodes_now();
  if (broken.empty() && first > usable) {
    throw NotNow("task " + io::quote(name) + " needs " + std::to_string(first) +
                 " nodes, of which " + std::to_string(usable) + " can be used now");
  }
  const Count last = std::max(first, nodes_for(time.floor_allowed(usable * cores), cores));
  std::vector<std::pair<Count, double>> measured;
  for (Count nodes = first; nodes <= last; ++nodes) {
    const Count processors = time.floor_allowed(nodes * cores);
    const Duration limit = job_limit(time.duration(processors), rules.overhead);
    const Duration length = limit + rules.slack;
    broken = broken_limit(rules.limits, nodes, limit);
    // More nodes are worth a thought only if they help.
    const bool helps = measured.empty() || to_seconds(length) < measured.back().second;
    if (broken.empty() && helps) measured.emplace_back(nodes, to_seconds(length));
  }
  if (measured.empty()) throw InputError("task " + io::quote(name) + ": " + broken);
  return TimeSpec::table(std::move(measured));
}

// The first moment from `ready` on at which a node is free for that long.
Time first_free(const std::vector<Interval>& taken, Time ready, Duration length) {
  for (const Interval& window : taken) {
    if (window.end <= ready) continue;
    if (window.begin >= ready + length) break;
    ready = window.end;
  }
  return ready;
}

void insert(std::vector<Interval>& taken, Interval window) {
  taken.insert(std::ranges::upper_bound(taken, window.begin, {}, &Interval::begin), window);
}

// The first moment from `ready` on at which enough nodes are free for the job. Nodes become free
// only at ends of windows.
Time first_place(const NodeWindows& taken, Time ready, const PlannedJob& job) {
  for (Time start = ready;;) {
    std::vector<Time> starts;
    for (const auto& [node, windows] : taken) {
      starts.push_back(first_free(windows, start, job.length));
    }
    std::ranges::sort(starts);
    const Time enough = starts.at(static_cast<std::size_t>(job.nodes - 1));
    if (enough == start) return start;
    start = enough;
  }
}

// When the node is taken next. The job gets the nodes that are taken soonest, which suit no longer
// one.
Time free_until(const std::vector<Interval>& windows, Time from) {
  const auto next = std::ranges::lower_bound(windows, from, {}, &Interval::begin);
  return next == windows.end() ? kForever : next->begin;
}

void choose_nodes(NodeWindows& taken, PlannedJob& job) {
  std::vector<std::pair<Time, std::string>> fitting;
  for (const auto& [node, windows] : taken) {
    if (first_free(windows, job.start, job.length) != job.start) continue;
    fitting.emplace_back(free_until(windows, job.end()), node);
  }
  std::ranges::sort(fitting);
  fitting.resize(static_cast<std::size_t>(job.nodes));
  for (const auto& [until, node] : fitting) {
    job.node_names.push_back(node);
    insert(taken[node], {job.start, job.end()});
  }
  std::ranges::sort(job.node_names);
}

// Throws InputError when no job in the partition can have the task, NotNow when it has too few
// nodes for that now.
queue::TaskShare share_in(const PartitionLimits& limits, const TaskNeeds& needs,
                          const TaskTime& time, const std::string& name) {
  queue::TaskShare share;
  try {
    share = queue::share_of(needs, time, limits.node(limits.max_nodes));
  } catch (const InputError& error) {
    throw InputError("partition " + limits.name + ": task " + io::quote(name) + " " + error.what());
  }
  if (share.demand.nodes <= limits.nodes) return share;
  throw NotNow("task " + io::quote(name) + " needs " + std::to_string(share.demand.nodes) +
               " nodes, of which " + std::to_string(limits.nodes) + " can be used now");
}

}  // namespace

void require_possible(const Problem& problem, const PartitionLimits& limits, Duration overhead,
                      bool is_spread) {
  const Workflow& workflow = problem.workflows().front();
  for (TaskId task = 0; task < workflow.size(); ++task) {
    const TaskTime time = problem.time(0, task, 0);
    const std::string name(workflow.id(task));
    if (is_spread) {
      time_in_nodes(time, name, {.limits = limits, .overhead = overhead});
      continue;
    }
    const queue::TaskShare share = share_in(limits, workflow.needs(task), time, name);
    const Count nodes = std::max(limits.min_nodes, share.demand.nodes);
    const std::string broken =
        broken_limit(limits, nodes, job_limit(time.duration(share.processors), overhead));
    if (!broken.empty()) throw InputError("task " + io::quote(name) + ": " + broken);
  }
}

std::optional<std::vector<PlannedJob>> plan_jobs(const Problem& problem,
                                                 const std::vector<TaskId>& tasks,
                                                 const std::vector<WallTime>& releases,
                                                 const Platform& nodes,
                                                 const NodePlanRules& rules) {
  const Workflow& workflow = problem.workflows().front();
  const Workflow part = planning::part_with_times(workflow, tasks, [&](TaskId task) {
    return time_in_nodes(problem.time(0, task, 0), std::string(workflow.id(task)), rules);
  });
  const Problem in_nodes =
      Problem({part}, nodes, rules.goal, rules.deadline).with_releases(releases);
  // A plan for a deadline begins as late as it can, and leaves no time for what goes wrong.
  const Plan plan = planning::pull_forward(in_nodes, rules.make_plan(in_nodes));
  if (!plan.feasible) return std::nullopt;
  std::vector<PlannedJob> jobs;
  for (const Placement& placed : plan.placements) {
    const TaskId task = tasks[placed.task];
    const Count cores = placed.procs * rules.limits.cores_per_node;
    jobs.push_back({.task = task,
                    .nodes = placed.procs,
                    .cores_per_node = rules.limits.cores_per_node,
                    .processors = problem.time(0, task, 0).floor_allowed(cores),
                    .start = placed.start,
                    .limit = placed.end - placed.start - rules.slack,
                    .length = placed.end - placed.start});
  }
  std::ranges::stable_sort(jobs, {}, &PlannedJob::start);
  return jobs;
}

void name_nodes(std::vector<PlannedJob>& jobs, const Workflow& workflow, NodeWindows taken) {
  std::map<TaskId, WallTime> ends;
  for (PlannedJob& job : jobs) {
    WallTime ready = job.start;
    for (const TaskId before : workflow.predecessors(job.task)) {
      if (const auto end = ends.find(before); end != ends.end()) {
        ready = std::max(ready, end->second);
      }
    }
    job.start = first_place(taken, ready, job);
    choose_nodes(taken, job);
    ends[job.task] = job.end();
  }
  std::ranges::stable_sort(jobs, {}, &PlannedJob::start);
}

}  // namespace dovetail::batch
