#include "queue/strategies/job_schedule.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

namespace dovetail {

std::vector<std::uint32_t> pick_order(std::span<const Duration> times, Pick pick) {
  std::vector<TaskId> sorted(times.size());
  std::iota(sorted.begin(), sorted.end(), TaskId{0});
  std::ranges::stable_sort(sorted, [&](TaskId a, TaskId b) {
    return pick == Pick::shortest ? times[a] < times[b] : times[a] > times[b];
  });
  std::vector<std::uint32_t> order(times.size());
  for (std::uint32_t i = 0; i < sorted.size(); ++i) order[sorted[i]] = i;
  return order;
}

JobTasks::JobTasks(std::vector<Duration> times, std::span<const Edge> edges, Pick pick)
    : times_(std::move(times)),
      pick_(pick),
      ranks_(pick_order(times_, pick)),
      at_rank_(times_.size()),
      first_next_(times_.size() + 1),
      next_(edges.size()) {
  for (TaskId task = 0; task < size(); ++task) at_rank_[ranks_[task]] = task;
  for (const auto& [before, after] : edges) ++first_next_[before + 1];
  std::partial_sum(first_next_.begin(), first_next_.end(), first_next_.begin());
  std::vector<std::uint32_t> place(first_next_.begin(), first_next_.end() - 1);
  for (const auto& [before, after] : edges) next_[place[before]++] = after;
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
  Job& job = jobs_.emplace_back(Job{.waiting = count, .unfinished = count});
  for (const TaskId task : tasks) {
    Entry& entry = entries_[task];
    assert(entry.state == State::in_no_job);
    entry.job = id;
    entry.state = State::waiting;
    if (entry.waits_for == 0) job.ready.push_back(tasks_->rank(task));
  }
  std::ranges::make_heap(job.ready, std::greater<>());
  return id;
}

void JobSchedule::end_job(std::span<const TaskId> tasks) {
  for (const TaskId task : tasks) {
    if (entries_[task].state != State::done) entries_[task].state = State::in_no_job;
  }
}

void JobSchedule::fail(TaskId task, Node node) {
  entries_[task].state = State::given_up;
  if (node == Node::idle) ++jobs_[entries_[task].job].idle;
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
      Entry& entry = entries_[next];
      if (entry.state != State::waiting || entry.job != job) continue;
      entry.state = State::given_up;
      --jobs_[job].waiting;
      lost.push_back(next);
    }
  }
}

void JobSchedule::give_up_what_does_not_fit(JobId id, Duration left) {
  Job& job = jobs_[id];
  for (; job.too_long < tasks_->size(); ++job.too_long) {
    const TaskId task = tasks_->by_length(job.too_long);
    if (tasks_->time(task) <= left) return;
    Entry& entry = entries_[task];
    if (entry.state != State::waiting || entry.job != id) continue;
    entry.state = State::given_up;
    --job.waiting;
    give_up_after(task);
  }
}

}  // namespace dovetail
