// The rule inside a job: which task starts next. The estimate of a job's length, the simulated
// queue and the pilot of a real job all ask here, so that an estimate is what happens.
//
// At each moment, while a node of the job is idle and a task of it is ready, the shortest ready
// task starts (or the longest); ties by number. A task is ready when all that it comes after is
// done, in this job or another. A task that cannot end in the time that is left is given up, and so
// is everything in the job that comes after a task that failed or was given up.
//
//   JobSchedule schedule(tasks);
//   const JobId job = schedule.add_job(some);
//   schedule.add_nodes(job, 16);
//   while (const auto task = schedule.start_next(job)) ...
//   schedule.succeed(job, *task);   // its node is idle again
//
// Knows no clock: ends and failures are events that the caller reports.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dovetail/workflow.hpp"

namespace dovetail::queue {

using JobId = std::uint32_t;  // of a schedule, in the order in which jobs were added

// Which ready task goes first.
enum class Pick { shortest, longest };

// Tasks as jobs see them: how long each takes on a node, and what comes after it.
class JobTasks {
 public:
  // next_of(task) lists the tasks that come after it, each once.
  template <typename NextOf>
  JobTasks(std::vector<Duration> times, Pick pick, NextOf next_of)
      : JobTasks(std::move(times), pick) {
    for (TaskId task = 0; task < size(); ++task) {
      const auto& next = next_of(task);
      next_.insert(next_.end(), next.begin(), next.end());
      first_next_.push_back(static_cast<std::uint32_t>(next_.size()));
    }
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(times_.size()); }
  Duration time(TaskId task) const { return times_[task]; }
  std::span<const TaskId> next(TaskId task) const {
    return {next_.data() + first_next_[task], next_.data() + first_next_[task + 1]};
  }

  // Position in the order in which a job prefers the tasks.
  std::uint32_t rank(TaskId task) const { return ranks_[task]; }
  TaskId at_rank(std::uint32_t rank) const { return at_rank_[rank]; }
  // The longest is number 0.
  TaskId by_length(std::uint32_t number) const {
    return at_rank_[pick_ == Pick::longest ? number : size() - 1 - number];
  }

 private:
  JobTasks(std::vector<Duration> times, Pick pick);

  std::vector<Duration> times_;
  Pick pick_;
  std::vector<TaskId> at_rank_;
  std::vector<std::uint32_t> ranks_;
  std::vector<std::uint32_t> first_next_ = {0};  // by task: where its part of next_ begins
  std::vector<TaskId> next_;
};

enum class JobTaskState : std::uint8_t { in_no_job, waiting, running, done, given_up };

class JobSchedule {
 public:
  // All tasks are still to be done, and in no job.
  explicit JobSchedule(std::shared_ptr<const JobTasks> tasks);

  // The same for these tasks alone, without any job: all others count as done, and may not be asked
  // for.
  void reset(std::span<const TaskId> tasks);

  // A job that has these tasks, and no node yet. Needs tasks that are in no job.
  JobId add_job(std::span<const TaskId> tasks);
  void add_nodes(JobId job, Count nodes) { jobs_[job].idle += nodes; }

  // Needs the tasks of one job, which is over: those that are not done are in no job again.
  void end_job(std::span<const TaskId> tasks);

  // The task that starts now on an idle node of the job; nothing when there is none. Time only gets
  // shorter: what does not fit into what is left is given up for good.
  std::optional<TaskId> start_next(JobId job, Duration left = kForever);

  // The running task is done, and its node is idle.
  void succeed(JobId job, TaskId task);
  // It runs no more. A node that is lost takes no other task.
  enum class NodeFate : std::uint8_t { idle, lost };
  void fail(TaskId task, NodeFate node);

  JobTaskState state(TaskId task) const { return entries_[task].state; }
  // Whether a task of the job may still be started, now or later.
  bool can_start_more(JobId job, Duration left);
  bool is_done(JobId job) const { return jobs_[job].unfinished == 0; }

 private:
  struct TaskEntry {
    std::uint32_t waits_for = 0;  // tasks; means nothing for those that count as done
    JobId job = 0;
    JobTaskState state = JobTaskState::in_no_job;
  };
  struct JobEntry {
    Count idle = 0;                // nodes
    std::uint32_t waiting = 0;     // tasks that are neither started nor given up
    std::uint32_t unfinished = 0;  // tasks
    std::uint32_t too_long = 0;    // longest tasks passed over; those that waited are given up
    std::vector<std::uint32_t> ready = {};  // heap of ranks; some may have been given up
  };

  void count_predecessors(TaskId task);
  void give_up_after(TaskId task);
  void give_up_what_does_not_fit(JobId job, Duration left);

  std::shared_ptr<const JobTasks> tasks_;
  std::vector<TaskEntry> entries_;  // by task
  std::vector<JobEntry> jobs_;
};

// Here since estimates ask millions of times.
inline std::optional<TaskId> JobSchedule::start_next(JobId id, Duration left) {
  if (left < kForever) give_up_what_does_not_fit(id, left);
  JobEntry& job = jobs_[id];
  while (job.idle > 0 && !job.ready.empty()) {
    std::pop_heap(job.ready.begin(), job.ready.end(), std::greater<>());
    const TaskId task = tasks_->at_rank(job.ready.back());
    job.ready.pop_back();
    if (entries_[task].state != JobTaskState::waiting) continue;
    entries_[task].state = JobTaskState::running;
    --job.waiting;
    --job.idle;
    return task;
  }
  return std::nullopt;
}

inline void JobSchedule::succeed(JobId id, TaskId task) {
  JobEntry& job = jobs_[id];
  ++job.idle;
  --job.unfinished;
  entries_[task].state = JobTaskState::done;
  for (const TaskId next : tasks_->next(task)) {
    TaskEntry& after = entries_[next];
    if (--after.waits_for > 0 || after.state != JobTaskState::waiting) continue;
    // Most are in the same job, whose place is known: that saves waiting for an address.
    std::vector<std::uint32_t>& ready = (after.job == id ? job : jobs_[after.job]).ready;
    ready.push_back(tasks_->rank(next));
    std::push_heap(ready.begin(), ready.end(), std::greater<>());
  }
}

}  // namespace dovetail::queue
