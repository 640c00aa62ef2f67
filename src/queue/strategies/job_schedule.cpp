#include "queue/strategies/job_schedule.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

namespace dovetail::queue {

JobTasks::JobTasks(std::vector<Duration> times, Pick pick)
    : times_(std::move(times)), pick_(pick), at_rank_(times_.size()), ranks_(times_.size()) {
  std::iota(at_rank_.begin(), at_rank_.end(), TaskId{0});
  std::ranges::stable_sort(at_rank_, [&](TaskId a, TaskId b) {
    return pick == Pick::shortest ? times_[a] < times_[b] : times_[a] > times_[b];
  });
  for (std::uint32_t rank = 0; rank < size(); ++rank) ranks_[at_rank_[rank]] = rank;
  first_next_.reserve(times_.size() + 1);
}

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
  std::ranges::make_heap(job.ready, std::greater<>());
  return id;
}

void JobSchedule::end_job(std::span<const TaskId> tasks) {
  for (const TaskId task : tasks) {
    if (entries_[task].state != JobTaskState::done) entries_[task].state = JobTaskState::in_no_job;
  }
}

void JobSchedule::fail(TaskId task, NodeFate node) {
  entries_[task].state = JobTaskState::given_up;
  if (node == NodeFate::idle) ++jobs_[entries_[task].job].idle;
  give_up_after(task);
}

bool JobSchedule::can_start_more(JobId job, Duration left) {
  give_up_what_does_not_fit(job, left);
  return jobs_[job].waiting > 0;
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
    TaskEntry& entry = entries_[task];
    if (entry.state != JobTaskState::waiting || entry.job != id) continue;
    entry.state = JobTaskState::given_up;
    --job.waiting;
    give_up_after(task);
  }
}

}  // namespace dovetail::queue
