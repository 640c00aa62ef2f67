// Which tasks start now. The plan says in which order and on how many processors; what really
// happens says when. A task that does not fit yet holds a place for the moment at which it will:
// tasks behind it may start before it, as long as they do not delay it. Processors that others have
// reserved are left alone.
//
//   Dispatcher dispatcher(problem, 8);
//   dispatcher.follow(slots);
//   for (std::size_t task : dispatcher.start(now)) ...   // these run from now on
//   dispatcher.end(task, true);
//
// Tasks are counted over all workflows. Times are the problem's. A value: copies share nothing but
// the problem.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "dovetail/calendar.hpp"
#include "dovetail/problem.hpp"
#include "planners/list/slot.hpp"

namespace dovetail::run {

class Dispatcher {
 public:
  // The problem must outlive it, and has one cluster.
  Dispatcher(const Problem& problem, Count processors);

  // A new plan for tasks that have not started; slots without processors change nothing.
  void follow(std::span<const planning::Slot> slots);

  // More or fewer processors from now on. Tasks that run keep what they have.
  void set_processors(Count processors);
  Count processors() const { return processors_; }

  // By the plan: on how many processors, for how long.
  Count processors_of(std::size_t task) const { return tasks_[task].procs; }
  Duration length_of(std::size_t task) const { return tasks_[task].length; }

  // Takes the tasks that start now, in the order of the plan.
  std::vector<std::size_t> start(Time now);

  // When a ready task may be able to start though no task ends: a wait after a failure
  // is over, or a reservation of others, or a workflow becomes ready. kForever: never.
  Time next_chance(Time now) const;

  // A task that an earlier process has started, or has finished.
  void adopt_running(std::size_t task, Count procs, Time started);
  void adopt_success(std::size_t task);

  // A task that runs is thought to end then.
  void expect(std::size_t task, Time end) { tasks_[task].expected_end = end; }
  Time expected_end(std::size_t task) const { return tasks_[task].expected_end; }

  // A task has ended, and its processors are free. Without success what needs it never starts.
  void end(std::size_t task, bool success);

  // The same, and it has to be run again, not before then.
  void retry(std::size_t task, Time not_before = kBeginning);

  const std::set<std::size_t>& running() const { return running_; }
  std::size_t ready() const { return ready_.size() + held_.size(); }
  Count in_use() const { return in_use_; }

  // When all that can still be done would be done if all went as it is thought to now.
  Time forecast(Time now) const;

 private:
  struct Task {
    Count procs = 0;
    Time planned_start = 0;
    Duration length = 0;
    std::uint32_t missing = 0;  // predecessors that have not succeeded yet
    Time expected_end = 0;      // while it runs
    bool is_done = false;
  };
  using ByTime = std::set<std::pair<Time, std::size_t>>;

  void begin(std::size_t task, Time now);
  void forget_waiting(std::size_t task);
  void release_held(Time now);
  void make_ready(std::size_t task);
  void succeed(std::size_t task);
  // What neither others nor the tasks that run hold.
  Calendar free_from(Time now) const;

  const Problem* problem_;
  Count processors_ = 0;
  Calendar others_;  // what others leave of the processors
  Count in_use_ = 0;
  std::vector<Task> tasks_;
  ByTime ready_;  // by planned start
  ByTime held_;   // not before then
  std::set<std::size_t> running_;
};

}  // namespace dovetail::run
