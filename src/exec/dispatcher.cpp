#include "exec/dispatcher.hpp"

#include <algorithm>

namespace dovetail::exec {

Dispatcher::Dispatcher(const Problem& problem, const Plan& plan, Count processors)
    : problem_(problem), processors_(processors), tasks_(problem.task_count()) {
  for (const Placement& placed : plan.placements) {
    const std::size_t number = problem.number_of({placed.workflow, placed.task});
    const Workflow& workflow = problem.workflows()[placed.workflow];
    tasks_[number] = {
        .procs = placed.procs,
        .planned_start = placed.start,
        .length = placed.end - placed.start,
        .missing = static_cast<std::uint32_t>(workflow.predecessors(placed.task).size())};
    if (tasks_[number].missing == 0) ready_.emplace(placed.start, number);
  }
}

void Dispatcher::begin(std::size_t task, Time now) {
  ready_.erase({tasks_[task].planned_start, task});
  tasks_[task].expected_end = now + tasks_[task].length;
  in_use_ += tasks_[task].procs;
  running_.insert(task);
}

std::vector<std::size_t> Dispatcher::start(Time now) {
  std::vector<std::size_t> started;
  Time opens = kForever;
  Count left_over = 0;
  for (auto next = ready_.begin(); next != ready_.end();) {
    const std::size_t number = (next++)->second;
    const Task& task = tasks_[number];
    const bool fits = task.procs <= processors_ - in_use_;
    const bool is_first = opens == kForever;
    if (!fits && is_first) std::tie(opens, left_over) = opening(task.procs, now);
    if (!fits) continue;
    if (!is_first && now + task.length > opens) {
      if (task.procs > left_over) continue;
      left_over -= task.procs;
    }
    begin(number, now);
    started.push_back(number);
    if (in_use_ >= processors_) break;
  }
  return started;
}

std::pair<Time, Count> Dispatcher::opening(Count procs, Time now) const {
  std::vector<std::pair<Time, Count>> ends;
  for (const std::size_t task : running_) {
    ends.emplace_back(std::max(now, tasks_[task].expected_end), tasks_[task].procs);
  }
  std::ranges::sort(ends);
  Count free = processors_ - in_use_;
  for (const auto& [end, count] : ends) {
    free += count;
    if (free >= procs) return {end, free - procs};
  }
  return {kForever - 1, 0};
}

void Dispatcher::adopt_running(std::size_t task, Count procs, Time now) {
  tasks_[task].procs = procs;
  begin(task, now);
}

void Dispatcher::adopt_success(std::size_t task) {
  ready_.erase({tasks_[task].planned_start, task});
  succeed(task);
}

void Dispatcher::end(std::size_t task, bool success) {
  running_.erase(task);
  in_use_ -= tasks_[task].procs;
  if (success) succeed(task);
}

void Dispatcher::retry(std::size_t task) {
  end(task, false);
  ready_.emplace(tasks_[task].planned_start, task);
}

void Dispatcher::succeed(std::size_t task) {
  const TaskRef ref = problem_.task_at(task);
  for (const TaskId next : problem_.workflows()[ref.workflow].successors(ref.task)) {
    const std::size_t number = problem_.number_of({ref.workflow, next});
    if (--tasks_[number].missing == 0) ready_.emplace(tasks_[number].planned_start, number);
  }
}

}  // namespace dovetail::exec
