#include "planners/list/cluster_view.hpp"

#include <algorithm>

#include "core/order.hpp"

namespace dovetail::planning {

namespace {

// Tasks for a view, which holds their times.
WorkflowBuilder bare_tasks(std::size_t count) {
  WorkflowBuilder builder;
  for (std::size_t task = 0; task < count; ++task) {
    builder.add_task({.id = std::to_string(task), .time = TimeSpec::fixed(0)});
  }
  return builder;
}

}  // namespace

ClusterView::ClusterView(const Problem& problem) : ClusterView(problem, 0) {
  if (problem.workflows().size() == 1) return;
  WorkflowBuilder builder = bare_tasks(problem.task_count());
  for (std::size_t i = 0; i < problem.workflows().size(); ++i) {
    if (i > 0) {
      first_task_.push_back(static_cast<TaskId>(times_.size()));
      add_tasks(problem, i);
    }
    const Workflow& workflow = problem.workflows()[i];
    for (const TaskId task : workflow.topological_order()) {
      for (const TaskId before : workflow.predecessors(task)) {
        builder.add_edge(first_task_[i] + before, first_task_[i] + task);
      }
    }
  }
  workflow_ = std::move(builder).build();
}

ClusterView::ClusterView(const Problem& problem, std::size_t workflow)
    : workflow_(problem.workflows()[workflow]),
      processors_(problem.platform().clusters().front().processors) {
  add_tasks(problem, workflow);
}

void ClusterView::add_tasks(const Problem& problem, std::size_t workflow) {
  for (TaskId task = 0; task < problem.workflows()[workflow].size(); ++task) {
    times_.push_back(problem.time(workflow, task, 0));
    releases_.push_back(problem.release(workflow, task));
  }
}

Count ClusterView::bounded(TaskId task, Count procs) const {
  const TaskTime& time = times_[task];
  return std::max(time.min_procs(), time.floor_allowed(std::min(procs, processors_)));
}

ClusterView ClusterView::part(std::span<const TaskId> tasks) const {
  if (tasks.size() == size()) return *this;
  ClusterView part;
  part.processors_ = processors_;
  WorkflowBuilder builder = bare_tasks(tasks.size());
  for (const TaskId task : tasks) {
    part.times_.push_back(times_[task]);
    part.releases_.push_back(releases_[task]);
  }
  for (TaskId number = 0; number < tasks.size(); ++number) {
    for (const TaskId before : workflow().predecessors(tasks[number])) {
      const auto place = std::ranges::lower_bound(tasks, before);
      if (place == tasks.end() || *place != before) continue;
      builder.add_edge(static_cast<TaskId>(place - tasks.begin()), number);
    }
  }
  part.workflow_ = std::move(builder).build();
  return part;
}

ClusterView ClusterView::reversed() const {
  ClusterView reversed = *this;
  WorkflowBuilder builder = bare_tasks(size());
  for (TaskId task = 0; task < size(); ++task) {
    for (const TaskId before : workflow().predecessors(task)) builder.add_edge(task, before);
  }
  reversed.workflow_ = std::move(builder).build();
  return reversed;
}

void ClusterView::place(Plan& plan, TaskId task, const Slot& slot) const {
  const auto next = std::ranges::upper_bound(first_task_, task);
  const auto workflow = static_cast<std::uint32_t>(next - first_task_.begin() - 1);
  plan.placements.push_back(placement_at({workflow, task - first_task_[workflow]}, slot));
}

std::string single_cluster_unfit(const Problem& problem) {
  const std::size_t clusters = problem.platform().clusters().size();
  if (clusters == 1) return {};
  return "plans on one cluster, and the platform has " + std::to_string(clusters);
}

std::vector<Duration> bottom_levels(const ClusterView& view, std::span<const Count> allocation) {
  const Workflow& workflow = view.workflow();
  std::vector<Duration> levels(view.size(), 0);
  const auto order = workflow.topological_order();
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    Duration below = 0;
    for (TaskId next : workflow.successors(*task)) below = std::max(below, levels[next]);
    levels[*task] = below + view.time(*task).duration(allocation[*task]);
  }
  return levels;
}

std::vector<TaskId> by_decreasing_level(std::span<const Duration> levels) {
  return order_by<TaskId>(
      levels.size(), [&](TaskId task) { return levels[task]; }, std::ranges::greater{});
}

Cluster limited_cluster(const Platform& platform, Count limit) {
  Cluster cluster = platform.clusters().front();
  const Count all = cluster.processors;
  cluster.processors = cluster.reservations.empty() ? limit : std::min(all, limit);
  // Of which nodes these processors are is not known.
  if (cluster.processors != all) cluster.node_types.clear();
  if (cluster.reservations.empty()) return cluster;
  cluster.reservations.clear();
  const Interval stay{std::max(platform.now(), cluster.joins), cluster.leaves};
  for (const Step& step : platform.calendar(0).steps(stay)) {
    const Count held = cluster.processors - std::min(cluster.processors, step.free);
    if (held > 0) cluster.reservations.push_back({step.begin, step.end, held});
  }
  return cluster;
}

}  // namespace dovetail::planning
