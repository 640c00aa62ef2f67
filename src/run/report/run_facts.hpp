// A run in numbers, planned against real: what its report and its summary tell.
//
//   const RunFacts facts = facts_of(problem, state);
//   facts.turnaround.real - facts.turnaround.planned
//
// "Planned" is by the first plan. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dovetail/problem.hpp"
#include "run/run_state.hpp"

namespace dovetail::run {

template <typename T>
struct PlannedAndReal {
  T planned = {};
  T real = {};
};

struct TaskFacts {
  std::string name;
  TaskState state = TaskState::waiting;
  bool was_kept = false;
  Slot planned = {};           // without processors: it was not in a plan
  Slot real = {};              // of the attempt that counts, else of the last; or it has none
  std::uint32_t attempts = 0;  // that have begun
  std::optional<AttemptEnd> end = {};  // of the last attempt that is over
  std::string missing = {};            // an output that was not there then
  std::optional<Duration> wait = {};   // from all that it needs being there to its first start
};

// Tasks that do the same to different data; of those that have succeeded and, in a run that goes by
// a plan, were planned.
struct KindFacts {
  std::string kind;
  std::size_t tasks = 0;               // all of the kind
  std::size_t timed = 0;               // those that the times are of
  PlannedAndReal<Duration> time = {};  // sums
};

struct WaitFacts {
  Duration mean = 0;
  Duration longest = 0;
  std::string task = {};  // that waited longest; empty: none waited
};

struct RunFacts {
  std::string algorithm;                  // of the plan in force
  Count processors = 0;                   // the most that may be used
  std::optional<Time> now = {};           // when the run still goes on
  std::optional<Time> expected_end = {};  // the same
  bool is_done = false;                   // every task is
  std::optional<Time> deadline = {};

  PlannedAndReal<Duration> turnaround = {};  // real: until the last end, or now
  PlannedAndReal<double> cpu_seconds = {};   // processors x time; real: of all attempts
  double lost_cpu_seconds = 0;               // of them, those of attempts that do not count
  double used_cpu_seconds = 0;      // what the processes that are over took of their processors
  double offered_cpu_seconds = 0;   // processors x time of just these
  PlannedAndReal<double> use = {};  // share of the processors that was taken, 0 to 1
  PlannedAndReal<WaitFacts> wait = {};
  Duration idle = 0;  // while nothing ran, until the last end

  std::size_t decisions = 0;  // whether to change the plan
  std::size_t plans_made = 0;
  std::size_t plans_adopted = 0;
  std::size_t done = 0;
  std::size_t failed = 0;
  std::size_t running = 0;
  std::size_t waiting = 0;
  std::size_t kept = 0;           // of those that are done
  std::size_t vain_attempts = 0;  // that failed, were stopped or lost
  std::size_t tasks_tried_again = 0;

  std::vector<TaskFacts> tasks = {};  // by task
  std::vector<KindFacts> kinds = {};  // in the order of their first tasks
};

// `now` by the run's clock when the run goes on; nothing when nobody is at it.
RunFacts facts_of(const Problem& problem, const RunState& state, std::optional<Time> now = {});

}  // namespace dovetail::run
