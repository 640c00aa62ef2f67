// Which tasks start now. The plan says in which order and on how many processors; what really
// happens says when. A task that does not fit yet holds a place for the moment at which it will:
// tasks behind it may start before it, as long as they do not delay it.
//
//   Dispatcher dispatcher(problem, plan, 8);
//   for (std::size_t task : dispatcher.start(now)) ...   // these run from now on
//   dispatcher.end(task, true);
//
// Tasks are counted over all workflows. Times are in milliseconds, of any clock that goes forward.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"

namespace dovetail::exec {

class Dispatcher {
 public:
  // Needs a feasible plan of the problem.
  Dispatcher(const Problem& problem, const Plan& plan, Count processors);

  Count processors_of(std::size_t task) const { return tasks_[task].procs; }

  // Takes the tasks that start now, in the order of the plan.
  std::vector<std::size_t> start(Time now);

  // A task that runs already, or has run, when we come. Needs its predecessors to have succeeded.
  void adopt_running(std::size_t task, Count procs, Time now);
  void adopt_success(std::size_t task);

  // A task has ended, and its processors are free. Without success what needs it never starts.
  void end(std::size_t task, bool success);

  // The same, and it has to be run again.
  void retry(std::size_t task);

  std::size_t running() const { return running_.size(); }
  Count in_use() const { return in_use_; }

 private:
  struct Task {
    Count procs = 0;
    Time planned_start = 0;
    Duration length = 0;
    std::uint32_t missing = 0;  // predecessors that have not succeeded yet
    Time expected_end = 0;      // while it runs
  };
  using Ready = std::set<std::pair<Time, std::size_t>>;  // planned start, task

  void begin(std::size_t task, Time now);
  void succeed(std::size_t task);
  // When so many processors will be free, and how many are left over then.
  std::pair<Time, Count> opening(Count procs, Time now) const;

  const Problem& problem_;
  Count processors_;
  Count in_use_ = 0;
  std::vector<Task> tasks_;
  Ready ready_;
  std::set<std::size_t> running_;
};

}  // namespace dovetail::exec
