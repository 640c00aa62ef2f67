#include "planners/list/cluster_view.hpp"

#include <algorithm>

namespace dovetail {

ClusterView::ClusterView(const Problem& problem)
    : merged_(merge(problem.workflows())),
      processors_(problem.platform().clusters().front().processors) {
  times_.reserve(problem.task_count());
  for (std::size_t i = 0; i < problem.workflows().size(); ++i) add_tasks(problem, i);
}

ClusterView::ClusterView(const Problem& problem, std::size_t workflow)
    : merged_{problem.workflows()[workflow], {0}},
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
  WorkflowBuilder builder("part");
  for (const TaskId task : tasks) {
    part.times_.push_back(times_[task]);
    part.releases_.push_back(releases_[task]);
    // The view holds the times; the workflow only provides the edges.
    builder.add_task({.id = std::to_string(task), .time = TimeSpec::fixed(0)});
  }
  for (TaskId number = 0; number < tasks.size(); ++number) {
    for (const TaskId before : workflow().predecessors(tasks[number])) {
      const auto place = std::lower_bound(tasks.begin(), tasks.end(), before);
      if (place == tasks.end() || *place != before) continue;
      builder.add_edge(static_cast<TaskId>(place - tasks.begin()), number);
    }
  }
  part.merged_.workflow = std::move(builder).build();
  return part;
}

ClusterView ClusterView::reversed() const {
  ClusterView reversed = *this;
  WorkflowBuilder builder("reversed");
  for (TaskId task = 0; task < size(); ++task) {
    builder.add_task({.id = std::to_string(task), .time = TimeSpec::fixed(0)});
  }
  for (TaskId task = 0; task < size(); ++task) {
    for (const TaskId before : workflow().predecessors(task)) builder.add_edge(task, before);
  }
  reversed.merged_.workflow = std::move(builder).build();
  return reversed;
}

void ClusterView::place(Plan& plan, TaskId task, Count procs, Time start, Time end) const {
  const auto next = std::upper_bound(merged_.first_task.begin(), merged_.first_task.end(), task);
  const auto workflow = static_cast<std::uint32_t>(next - merged_.first_task.begin() - 1);
  plan.placements.push_back({.workflow = workflow,
                             .task = task - merged_.first_task[workflow],
                             .cluster = 0,
                             .procs = procs,
                             .start = start,
                             .end = end});
}

std::string single_cluster_unfit(const Problem& problem) {
  const std::size_t clusters = problem.platform().clusters().size();
  if (clusters == 1) return {};
  return "plans on one cluster, and the platform has " + std::to_string(clusters);
}

}  // namespace dovetail
