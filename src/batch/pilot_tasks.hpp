// Which task of an order comes next: what waits for what, inside the job and outside, and what
// cannot be started any more.
//
//   PilotTasks tasks(order);
//   while (auto next = tasks.pick(time_left)) ...   // index into order.tasks
//   tasks.succeed(*next);                           // or fail(): what needs it is given up
//   if (!tasks.can_go_on(time_left)) ...            // nothing is left to start
//
// Time only gets shorter: a task that does not fit into what is left is given up for good.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "batch/pilot_file.hpp"

namespace dovetail::batch {

class PilotTasks {
 public:
  explicit PilotTasks(const PilotOrder& order);

  // Whether some tasks can never be started, as each comes after another of them.
  bool has_circle() const;

  // The ready task that is to start now, which then counts as started; nothing when there is none.
  std::optional<std::size_t> pick(Duration left);
  void succeed(std::size_t index);
  void fail(std::size_t index);

  // What is not in the order and still waited for, and that it is done.
  std::vector<std::uint32_t> awaited() const;
  void found_done(std::uint32_t task);

  // Whether a task may still be started, now or later.
  bool can_go_on(Duration left);
  bool are_all_done() const { return done_ == tasks_.size(); }
  bool has_failure() const { return has_failure_; }

 private:
  struct Task {
    Duration expected = 0;
    std::uint32_t place = 0;      // in the order in which they are preferred
    std::uint32_t waits_for = 0;  // tasks, inside and outside
    bool is_open = true;          // neither started nor given up
    std::vector<std::size_t> next = {};
  };

  void rank(bool longest_first);
  void release(std::size_t index);
  void close(std::size_t index);
  void give_up_next(std::size_t index);
  void give_up_what_does_not_fit(Duration left);

  std::vector<Task> tasks_;
  std::vector<std::size_t> task_at_;                           // by place
  std::map<std::uint32_t, std::vector<std::size_t>> outside_;  // who waits for it
  std::set<std::uint32_t> ready_;                              // places
  std::set<std::pair<Duration, std::size_t>> open_;            // by length
  std::size_t done_ = 0;
  bool has_failure_ = false;
};

}  // namespace dovetail::batch
