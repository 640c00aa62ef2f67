#include "batch/pilot/pilot_tasks.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>

namespace dovetail::batch {

namespace {

std::unordered_map<std::uint32_t, TaskId> indices_of(const PilotOrder& order) {
  std::unordered_map<std::uint32_t, TaskId> indices;
  for (const PilotTask& task : order.tasks) {
    indices.emplace(task.command.task, static_cast<TaskId>(indices.size()));
  }
  return indices;
}

std::vector<std::uint32_t> outside_of(const PilotOrder& order) {
  const auto inside = indices_of(order);
  std::set<std::uint32_t> outside;
  for (const PilotTask& task : order.tasks) {
    for (const std::uint32_t before : task.after) {
      if (!inside.contains(before)) outside.insert(before);
    }
  }
  return {outside.begin(), outside.end()};
}

std::shared_ptr<const queue::JobTasks> job_tasks_of(const PilotOrder& order,
                                                    const std::vector<std::uint32_t>& outside) {
  auto indices = indices_of(order);
  for (const std::uint32_t task : outside) {
    indices.emplace(task, static_cast<TaskId>(indices.size()));
  }
  std::vector<Duration> times(indices.size());
  std::vector<std::vector<TaskId>> next(indices.size());
  for (TaskId index = 0; index < order.tasks.size(); ++index) {
    const PilotTask& task = order.tasks[index];
    times[index] = task.command.expected;
    const std::set<std::uint32_t> after(task.after.begin(), task.after.end());
    for (const std::uint32_t before : after) next[indices.at(before)].push_back(index);
  }
  return std::make_shared<queue::JobTasks>(
      std::move(times), order.picks_longest ? queue::Pick::longest : queue::Pick::shortest,
      [&](TaskId task) -> const std::vector<TaskId>& { return next[task]; });
}

}  // namespace

PilotTasks::PilotTasks(const PilotOrder& order, Count nodes)
    : size_(static_cast<TaskId>(order.tasks.size())),
      outside_(outside_of(order)),
      tasks_(job_tasks_of(order, outside_)),
      schedule_(tasks_) {
  std::vector<TaskId> all(tasks_->size());
  std::iota(all.begin(), all.end(), TaskId{0});
  schedule_.add_job(std::span(all).first(size_));
  schedule_.add_job(std::span(all).subspan(size_));
  schedule_.add_nodes(kJob, nodes);
}

void PilotTasks::fail(TaskId index, NodeFate node) {
  has_failure_ = true;
  schedule_.fail(index, node);
}

std::vector<std::uint32_t> PilotTasks::awaited() const {
  std::vector<std::uint32_t> awaited;
  for (TaskId i = 0; i < outside_.size(); ++i) {
    if (schedule_.state(size_ + i) == queue::JobTaskState::done) continue;
    const bool is_needed = std::ranges::any_of(tasks_->next(size_ + i), [&](TaskId task) {
      return schedule_.state(task) == queue::JobTaskState::waiting;
    });
    if (is_needed) awaited.push_back(outside_[i]);
  }
  return awaited;
}

void PilotTasks::found_done(std::uint32_t task) {
  const auto found = std::ranges::lower_bound(outside_, task);
  if (found == outside_.end() || *found != task) return;
  const TaskId index = size_ + static_cast<TaskId>(found - outside_.begin());
  if (schedule_.state(index) != queue::JobTaskState::done) schedule_.succeed(kOutside, index);
}

bool has_circle(const PilotOrder& order) {
  PilotTasks tasks(order, 1);
  for (const std::uint32_t task : tasks.awaited()) tasks.found_done(task);
  while (const auto next = tasks.start_next(kForever)) tasks.succeed(*next);
  return !tasks.are_all_done();
}

}  // namespace dovetail::batch
