#include "queue/strategies/job_schedule.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

namespace dovetail::queue {

JobSchedule::JobSchedule(std::shared_ptr<const JobTasks> tasks)
    : tasks_(std::move(tasks)), entries_(tasks_->size()) {
  for (TaskId task = 0; task < tasks_->size(); ++task) count_predecessors(task);
}

void JobSchedule::count_predecessors(TaskId task) {
  for (const TaskId next : tasks_->next(task)) ++entries_[next].waits_for;
}

void JobSchedule::reset(std::span<const TaskId> tasks) {
  jobs_.clear();
  for (const TaskId task : tasks) entries_[task] = {};
  for (const TaskId task : tasks) count_predecessors(task);
}

JobId JobSchedule::add_job(std::span<const TaskId> tasks) {
  const auto id = static_cast<JobId>(jobs_.size());
  const auto count = static_cast<std::uint32_t>(tasks.size());
  JobEntry& job = jobs_.emplace_back(JobEntry{.waiting = count, .unfinished = count});
  for (const TaskId task : tasks) {
    TaskEntry& entry = entries_[task];
    assert(entry.state == JobTaskState::in_no_job);
    entry.job = id;
    entry.state = JobTaskState::waiting;
    if (entry.waits_for == 0) job.ready.push_back(tasks_->rank(task));
  }
  if (!tasks_->are_sharing()) {
    std::ranges::make_heap(job.ready, std::greater<>());
    return id;
  }
  job.shared = std::make_unique<SharedNodes>(*tasks_, tasks);
  for (const std::uint32_t rank : std::exchange(job.ready, {})) {
    job.shared->make_ready(tasks_->at_rank(rank));
  }
  return id;
}

void JobSchedule::add_nodes(JobId id, Count nodes) {
  JobEntry& job = jobs_[id];
  if (!job.shared) {
    job.idle += nodes;
    return;
  }
  job.shared->add(nodes);
  give_up_what_is_hopeless(id);
}

void JobSchedule::end_job(std::span<const TaskId> tasks) {
  if (!tasks.empty()) jobs_[entries_[tasks.front()].job].shared.reset();
  for (const TaskId task : tasks) {
    if (entries_[task].state != JobTaskState::done) entries_[task].state = JobTaskState::in_no_job;
  }
}

std::optional<TaskId> JobSchedule::start_next_sharing(JobId id) {
  JobEntry& job = jobs_[id];
  const auto task = job.shared->start(
      [&](TaskId other) { return entries_[other].state == JobTaskState::waiting; });
  if (!task) return std::nullopt;
  entries_[*task].state = JobTaskState::running;
  --job.waiting;
  return task;
}

void JobSchedule::succeed_sharing(JobId id, TaskId task) {
  JobEntry& job = jobs_[id];
  // Of a task that is done elsewhere there is nothing here.
  if (entries_[task].state == JobTaskState::running) job.shared->release(task);
  --job.unfinished;
  entries_[task].state = JobTaskState::done;
  for (const TaskId next : tasks_->next(task)) {
    TaskEntry& after = entries_[next];
    if (--after.waits_for > 0 || after.state != JobTaskState::waiting) continue;
    jobs_[after.job].shared->make_ready(next);
  }
}

void JobSchedule::fail(TaskId task, std::span<const NodeId> lost) {
  const JobId id = entries_[task].job;
  JobEntry& job = jobs_[id];
  entries_[task].state = JobTaskState::given_up;
  if (!job.shared) {
    if (lost.empty()) ++job.idle;
  } else {
    job.shared->release(task);
    if (!lost.empty()) job.shared->lose(lost);
    give_up_what_is_hopeless(id);
  }
  give_up_after(task);
}

bool JobSchedule::can_start_more(JobId job, Duration left) {
  give_up_what_does_not_fit(job, left);
  return jobs_[job].waiting > 0;
}

// Needs a task that waits.
void JobSchedule::give_up(TaskId task) {
  entries_[task].state = JobTaskState::given_up;
  --jobs_[entries_[task].job].waiting;
  give_up_after(task);
}

void JobSchedule::give_up_after(TaskId task) {
  const JobId job = entries_[task].job;
  std::vector<TaskId> lost = {task};
  while (!lost.empty()) {
    const auto after = tasks_->next(lost.back());
    lost.pop_back();
    for (const TaskId next : after) {
      TaskEntry& entry = entries_[next];
      if (entry.state != JobTaskState::waiting || entry.job != job) continue;
      entry.state = JobTaskState::given_up;
      --jobs_[job].waiting;
      lost.push_back(next);
    }
  }
}

void JobSchedule::give_up_what_does_not_fit(JobId id, Duration left) {
  JobEntry& job = jobs_[id];
  for (; job.too_long < tasks_->size(); ++job.too_long) {
    const TaskId task = tasks_->by_length(job.too_long);
    if (tasks_->time(task) <= left) return;
    const TaskEntry& entry = entries_[task];
    if (entry.state == JobTaskState::waiting && entry.job == id) give_up(task);
  }
}

void JobSchedule::give_up_what_is_hopeless(JobId id) {
  if (!jobs_[id].shared->has_hopeless()) return;
  for (TaskId task = 0; task < tasks_->size(); ++task) {
    const TaskEntry& entry = entries_[task];
    const bool is_ours = entry.state == JobTaskState::waiting && entry.job == id;
    if (is_ours && jobs_[id].shared->is_hopeless(task)) give_up(task);
  }
}

}  // namespace dovetail::queue
