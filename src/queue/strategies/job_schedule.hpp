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
//   schedule.succeed(*task);   // its node is idle again
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

namespace dovetail {

using JobId = std::uint32_t;  // of a schedule, in the order in which jobs were added

// Which ready task goes first.
enum class Pick { shortest, longest };

// Position of each task in the order in which a job prefers them.
std::vector<std::uint32_t> pick_order(std::span<const Duration> times, Pick pick);

// Tasks as jobs see them: how long each takes on a node, and what comes after it.
class JobTasks {
 public:
  using Edge = std::pair<TaskId, TaskId>;  // the second comes after the first

  JobTasks(std::vector<Duration> times, std::span<const Edge> edges, Pick pick);

  std::uint32_t size() const { return static_cast<std::uint32_t>(times_.size()); }
  Duration time(TaskId task) const { return times_[task]; }
  std::span<const TaskId> next(TaskId task) const {
    return {next_.data() + first_next_[task], next_.data() + first_next_[task + 1]};
  }

  std::uint32_t rank(TaskId task) const { return ranks_[task]; }
  TaskId at_rank(std::uint32_t rank) const { return at_rank_[rank]; }
  // The longest is number 0.
  TaskId by_length(std::uint32_t number) const {
    return at_rank_[pick_ == Pick::longest ? number : size() - 1 - number];
  }

 private:
  std::vector<Duration> times_;
  Pick pick_;
  std::vector<std::uint32_t> ranks_;
  std::vector<TaskId> at_rank_;
  std::vector<std::uint32_t> first_next_;  // by task: where its part of next_ begins
  std::vector<TaskId> next_;
};

class JobSchedule {
 public:
  enum class State : std::uint8_t { in_no_job, waiting, running, done, given_up };

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

  // The task is done, and its node is idle. It may also be one that is in no job.
  void succeed(TaskId task);
  // It runs no more. A node that is lost takes no other task.
  enum class Node : std::uint8_t { idle, lost };
  void fail(TaskId task, Node node);

  State state(TaskId task) const { return entries_[task].state; }
  // Whether a task of the job may still be started, now or later.
  bool can_start_more(JobId job, Duration left);
  bool is_done(JobId job) const { return jobs_[job].unfinished == 0; }

 private:
  struct Entry {
    std::uint32_t waits_for = 0;  // tasks; means nothing for those that count as done
    JobId job = 0;
    State state = State::in_no_job;
  };
  struct Job {
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
  std::vector<Entry> entries_;  // by task
  std::vector<Job> jobs_;
};

// Here since estimates ask millions of times.
inline std::optional<TaskId> JobSchedule::start_next(JobId id, Duration left) {
  if (left < kForever) give_up_what_does_not_fit(id, left);
  Job& job = jobs_[id];
  while (job.idle > 0 && !job.ready.empty()) {
    std::pop_heap(job.ready.begin(), job.ready.end(), std::greater<>());
    const TaskId task = tasks_->at_rank(job.ready.back());
    job.ready.pop_back();
    if (entries_[task].state != State::waiting) continue;
    entries_[task].state = State::running;
    --job.waiting;
    --job.idle;
    return task;
  }
  return std::nullopt;
}

inline void JobSchedule::succeed(TaskId task) {
  Entry& entry = entries_[task];
  if (entry.state == State::running) {
    ++jobs_[entry.job].idle;
    --jobs_[entry.job].unfinished;
  }
  entry.state = State::done;
  for (const TaskId next : tasks_->next(task)) {
    Entry& after = entries_[next];
    if (--after.waits_for > 0 || after.state != State::waiting) continue;
    std::vector<std::uint32_t>& ready = jobs_[after.job].ready;
    ready.push_back(tasks_->rank(next));
    std::push_heap(ready.begin(), ready.end(), std::greater<>());
  }
}

}  // namespace dovetail
