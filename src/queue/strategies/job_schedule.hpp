// The rule inside a job: which task starts next. The estimate of a job's length, the simulated
// queue and the pilot of a real job all ask here, so that an estimate is what happens.
//
// At each moment, of the ready tasks that fit on the job's nodes now, the shortest starts (or the
// longest); ties by number. So a task that does not fit does not hold up those behind it. It runs
// where the packer puts it (core/packer.hpp): on a part of a node, or on several nodes. A task is
// ready when all that it comes after is done, in this job or another. A task that cannot end in the
// time that is left is given up, and so are one that the nodes cannot hold even when they are idle,
// and everything in the job that comes after a task that failed or was given up.
//
//   JobSchedule schedule(tasks);
//   const JobId job = schedule.add_job(some);
//   schedule.add_nodes(job, 16);
//   while (const auto task = schedule.start_next(job)) ... schedule.nodes_of(*task) ...
//   schedule.succeed(job, *task);   // what it had is free again
//
// Where no two tasks can share a node, idle nodes are only counted: estimates ask millions of
// times. Knows no clock: ends and failures are events that the caller reports.
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
#include "queue/strategies/job_tasks.hpp"
#include "queue/strategies/shared_nodes.hpp"

namespace dovetail::queue {

using JobId = std::uint32_t;  // of a schedule, in the order in which jobs were added

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
  // Once for a job.
  void add_nodes(JobId job, Count nodes);

  // Needs the tasks of one job, which is over: those that are not done are in no job again.
  void end_job(std::span<const TaskId> tasks);

  // The task that starts now on nodes of the job; nothing when there is none. Time only gets
  // shorter: what does not fit into what is left is given up for good.
  std::optional<TaskId> start_next(JobId job, Duration left = kForever);

  // Where a running task runs: positions among the nodes of its job, in order. Only for tasks that
  // share nodes.
  std::span<const NodeId> nodes_of(TaskId task) const {
    return jobs_[entries_[task].job].shared->nodes_of(task);
  }

  // The running task is done, and what it had is free.
  void succeed(JobId job, TaskId task);
  // It runs no more. Nodes that are lost take no other task; they are those of the task, or others
  // of its job.
  void fail(TaskId task, std::span<const NodeId> lost = {});

  JobTaskState state(TaskId task) const { return entries_[task].state; }
  // Whether a task of the job may still be started, now or later.
  bool can_start_more(JobId job, Duration left);
  bool is_done(JobId job) const { return jobs_[job].unfinished == 0; }
  // Whether a node of the job has room for a task, however small.
  bool has_room(JobId job) const {
    return jobs_[job].shared ? jobs_[job].shared->has_room() : jobs_[job].idle > 0;
  }

 private:
  struct TaskEntry {
    std::uint32_t waits_for = 0;  // tasks; means nothing for those that count as done
    JobId job = 0;
    JobTaskState state = JobTaskState::in_no_job;
  };
  struct JobEntry {
    Count idle = 0;                // nodes, if they are only counted
    std::uint32_t waiting = 0;     // tasks that are neither started nor given up
    std::uint32_t unfinished = 0;  // tasks
    std::uint32_t too_long = 0;    // longest tasks passed over; those that waited are given up
    std::vector<std::uint32_t> ready = {};     // heap of ranks; some may have been given up
    std::unique_ptr<SharedNodes> shared = {};  // instead of `idle` and `ready`
  };

  void count_predecessors(TaskId task);
  void give_up(TaskId task);
  void give_up_after(TaskId task);
  void give_up_what_does_not_fit(JobId job, Duration left);
  void give_up_what_is_hopeless(JobId job);
  std::optional<TaskId> start_next_sharing(JobId job);
  void succeed_sharing(JobId job, TaskId task);

  std::shared_ptr<const JobTasks> tasks_;
  std::vector<TaskEntry> entries_;  // by task
  std::vector<JobEntry> jobs_;
};

// Here since estimates ask millions of times.
inline std::optional<TaskId> JobSchedule::start_next(JobId id, Duration left) {
  if (left < kForever) give_up_what_does_not_fit(id, left);
  JobEntry& job = jobs_[id];
  if (job.shared) return start_next_sharing(id);
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
  if (job.shared) return succeed_sharing(id, task);
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
