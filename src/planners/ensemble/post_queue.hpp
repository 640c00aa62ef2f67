// Post tasks of an ensemble in simulated time: first come, first served, on the processors that
// nothing else uses, lowest number first.
//
//   posts.push(scenario, month);   // waits
//   posts.start_at(now);           // free processors take what waits
//   posts.run_before(next);        // and go on when they are free again
//
// All tasks are equally long, so that they end in the order of their starts and cost a few steps
// each; only tasks that slow each other down are sorted in.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "planners/ensemble/grouping.hpp"
#include "planners/ensemble/month_simulation.hpp"

namespace dovetail {

class PostQueue {
 public:
  // What ran is appended to `runs`, unless that is null.
  PostQueue(const MonthProblem& problem, std::vector<MonthRun>* runs);

  // Processors first .. first + count - 1 may be used from now on.
  void add_processors(Count first, Count count);

  // When the last task on these processors and those above ends; 0: none runs there.
  Time busy_until(Count first) const;

  // These processors and those above may not be used any more. Needs them to be free.
  void remove_processors_from(Count first);

  // The post tasks of a month wait from now on.
  void push(std::uint32_t scenario, Count month);

  // Everything that starts before t.
  void run_before(Time t);

  // Tasks that have ended by t free their processors.
  void release(Time t);

  // The same, and free processors take what waits.
  void start_at(Time t);

  std::int64_t unfinished() const { return waiting_ + static_cast<std::int64_t>(running_.size()); }
  std::int64_t ended() const { return ended_; }

  // Of all tasks that have started.
  Time last_end() const { return last_end_; }

 private:
  struct WaitingPost {
    std::uint32_t scenario = 0;
    Count month = 0;
    Count tasks = 0;
  };
  struct RunningPost {
    Time end = 0;
    Count processor = 0;
  };

  Duration length(std::int64_t at_a_time) const;
  void start_one(Time t, Duration length);

  const MonthProblem& problem_;
  std::vector<MonthRun>* runs_;
  std::deque<WaitingPost> queue_;
  std::int64_t waiting_ = 0;         // tasks in the queue
  std::deque<RunningPost> running_;  // by end
  std::priority_queue<Count, std::vector<Count>, std::greater<>> free_;
  std::int64_t ended_ = 0;
  Time last_end_ = 0;
};

}  // namespace dovetail
