// Which task of an order comes next and on which nodes of the job, by the rule of
// queue/strategies/job_schedule.hpp, counting tasks of other jobs that must come before.
//
//   PilotTasks tasks(order, nodes);
//   while (auto next = tasks.start_next(time_left)) ...   // index into order.tasks
//   tasks.nodes_of(*next);                                // positions among the job's nodes
//   tasks.succeed(*next);                                 // or fail(): gives up what needs it
//   if (!tasks.can_start_more(time_left)) ...             // nothing is left to start
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "batch/pilot/pilot_file.hpp"
#include "queue/strategies/job_schedule.hpp"

namespace dovetail::batch {

class PilotTasks {
 public:
  // Of a job that has that many nodes, at least one.
  PilotTasks(const PilotOrder& order, Count nodes);

  std::optional<TaskId> start_next(Duration left) { return schedule_.start_next(kJob, left); }
  // Of a task that runs.
  std::span<const NodeId> nodes_of(TaskId index) const { return schedule_.nodes_of(index); }
  void succeed(TaskId index) { schedule_.succeed(kJob, index); }
  // Nodes that are lost take no other task.
  void fail(TaskId index, std::span<const NodeId> lost = {});

  // The tasks outside of the order that are still waited for, by number; and that one is done.
  std::vector<std::uint32_t> awaited() const;
  void found_done(std::uint32_t task);

  // Whether a task may still be started, now or later.
  bool can_start_more(Duration left) { return schedule_.can_start_more(kJob, left); }
  // Whether a node has room for a task, however small.
  bool has_room() const { return schedule_.has_room(kJob); }
  bool are_all_done() const { return schedule_.is_done(kJob); }
  bool has_failure() const { return has_failure_; }

 private:
  static constexpr queue::JobId kJob = 0;
  static constexpr queue::JobId kOutside = 1;  // has the tasks of other jobs

  // Behind the tasks of the order come those outside.
  TaskId size_;
  std::vector<std::uint32_t> outside_;  // numbers, in order
  std::shared_ptr<const queue::JobTasks> tasks_;
  queue::JobSchedule schedule_;
  bool has_failure_ = false;
};

// Whether tasks come after one another in a circle: they could never start.
bool has_circle(const PilotOrder& order);

}  // namespace dovetail::batch
