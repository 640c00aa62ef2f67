// Which tasks start now. The plan says in which order and on how many processors; what really
// happens says when. A task that does not fit yet holds a place for the moment at which it will:
// tasks behind it may start before it, as long as they do not delay it. Processors that others have
// reserved are left alone. Memory and GPUs count like processors, where tasks need them: each task
// needs what its file says, and what other runs hold of this machine is not there until they say
// otherwise. A task that cannot fit because of that holds no place.
//
//   Dispatcher dispatcher(problem, 8, {.memory = 16 * kGibibyte});
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
#include "run/local/memory_and_gpus.hpp"

namespace dovetail::run {

// Between two looks at what other runs hold: no file tells when they give it back.
inline constexpr Duration kLookAgain = 250;

class Dispatcher {
 public:
  // The problem must outlive it, and has one cluster. `limit`: what all tasks may take together.
  Dispatcher(const Problem& problem, Count processors, const MemoryAndGpus& limit = {});

  // A new plan for tasks that have not started; slots without processors change nothing.
  void follow(std::span<const planning::Slot> slots);

  // More or fewer processors from now on. Tasks that run keep what they have.
  void set_processors(Count processors);
  Count processors() const { return processors_; }

  // What other runs hold from now on, for as long as is known.
  void set_held_by_others(const MemoryAndGpus& held) { held_by_others_ = held; }

  // What tasks that run take, in whole mebibytes each, and what a task takes.
  const MemoryAndGpus& room_in_use() const { return room_in_use_; }
  MemoryAndGpus room_of(std::size_t task) const;

  // Whether tasks need any.
  bool needs_room() const { return counts_ != MemoryAndGpus{}; }

  // By the plan: on how many processors, for how long.
  Count processors_of(std::size_t task) const { return tasks_[task].procs; }
  Duration length_of(std::size_t task) const { return tasks_[task].length; }

  // Takes the tasks that start now, in the order of the plan.
  std::vector<std::size_t> start(Time now);

  // When a ready task may be able to start though no task ends: a wait after a failure
  // is over, or a reservation of others, or a workflow becomes ready; or in a while, when other
  // runs hold memory or GPUs. kForever: never.
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
  void narrow(std::size_t task);
  void forget_waiting(std::size_t task);
  void release_held(Time now);
  void make_ready(std::size_t task);
  void succeed(std::size_t task);
  // What neither others nor the tasks that run hold.
  FreeRoom free_from(Time now) const;

  const Problem* problem_;
  Count processors_ = 0;
  MemoryAndGpus limit_;
  MemoryAndGpus counts_;  // not 0: a task needs some
  MemoryAndGpus held_by_others_;
  MemoryAndGpus room_in_use_;
  Calendar others_;  // what others leave of the processors
  Count in_use_ = 0;
  std::vector<Task> tasks_;
  ByTime ready_;  // by planned start
  ByTime held_;   // not before then
  std::set<std::size_t> running_;
};

}  // namespace dovetail::run
