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

// `shares`: tasks share nodes as the order says; else each has a node.
std::shared_ptr<const queue::JobTasks> job_tasks_of(const PilotOrder& order,
                                                    const std::vector<std::uint32_t>& outside,
                                                    bool shares) {
  auto indices = indices_of(order);
  for (const std::uint32_t task : outside) {
    indices.emplace(task, static_cast<TaskId>(indices.size()));
  }
  std::vector<Duration> times(indices.size());
  std::vector<NodeDemand> demands(indices.size());  // those outside take nothing here
  std::vector<std::vector<TaskId>> next(indices.size());
  for (TaskId index = 0; index < order.tasks.size(); ++index) {
    const PilotTask& task = order.tasks[index];
    times[index] = task.command.expected;
    demands[index] = task.demand;
    const std::set<std::uint32_t> after(task.after.begin(), task.after.end());
    for (const std::uint32_t before : after) next[indices.at(before)].push_back(index);
  }
  return std::make_shared<queue::JobTasks>(
      std::move(times), order.picks_longest ? queue::Pick::longest : queue::Pick::shortest,
      [&](TaskId task) -> const std::vector<TaskId>& { return next[task]; },
      shares ? queue::make_sharing(order.node, demands) : queue::NodeSharing());
}

// One of the tasks of the order, and one of those outside.
void add_jobs(queue::JobSchedule& schedule, TaskId tasks, TaskId inside) {
  std::vector<TaskId> all(tasks);
  std::iota(all.begin(), all.end(), TaskId{0});
  schedule.add_job(std::span(all).first(inside));
  schedule.add_job(std::span(all).subspan(inside));
}

}  // namespace

PilotTasks::PilotTasks(const PilotOrder& order, Count nodes)
    : size_(static_cast<TaskId>(order.tasks.size())),
      outside_(outside_of(order)),
      tasks_(job_tasks_of(order, outside_, true)),
      schedule_(tasks_) {
  add_jobs(schedule_, tasks_->size(), size_);
  schedule_.add_nodes(kJob, nodes);
}

void PilotTasks::fail(TaskId index, std::span<const NodeId> lost) {
  has_failure_ = true;
  schedule_.fail(index, lost);
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

// Whatever they take of nodes.
bool has_circle(const PilotOrder& order) {
  constexpr queue::JobId kJob = 0;
  constexpr queue::JobId kOutside = 1;
  const auto tasks = job_tasks_of(order, outside_of(order), false);
  const auto size = static_cast<TaskId>(order.tasks.size());
  queue::JobSchedule schedule(tasks);
  add_jobs(schedule, tasks->size(), size);
  schedule.add_nodes(kJob, 1);
  for (TaskId task = size; task < tasks->size(); ++task) schedule.succeed(kOutside, task);
  while (const auto next = schedule.start_next(kJob)) schedule.succeed(kJob, *next);
  return !schedule.is_done(kJob);
}

}  // namespace dovetail::batch
