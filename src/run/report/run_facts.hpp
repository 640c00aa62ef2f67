// A run in numbers, planned against real, for its report and its summary.
//
//   const RunFacts facts = facts_of(problem, state);
//   facts.turnaround.real - facts.turnaround.planned
//
// "Planned" refers to the first plan. Pure.
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
  planning::Slot planned = {};         // without processors: it was not in a plan
  planning::Slot real = {};            // of the attempt that counts, else of the last one
  std::uint32_t attempts = 0;          // started ones
  std::optional<AttemptEnd> end = {};  // of the last finished attempt
  std::string missing = {};            // an output that it did not write
  std::optional<Duration> wait = {};   // from the end of its last predecessor to its first start
};

// Tasks that do the same to different data. The times are of those that succeeded and, in a run
// with a plan, were planned.
struct KindFacts {
  std::string kind;
  std::size_t tasks = 0;               // all of the kind
  std::size_t timed = 0;               // those that `time` sums up
  PlannedAndReal<Duration> time = {};  // sums
};

struct WaitFacts {
  Duration mean = 0;
  Duration longest = 0;
  std::string task = {};  // the one that waited longest; empty: none waited
};

struct RunFacts {
  std::string algorithm;                  // of the plan in force
  Count processors = 0;                   // the largest number allowed
  std::optional<Time> now = {};           // while the run continues
  std::optional<Time> expected_end = {};  // while the run continues
  bool is_done = false;                   // every task is
  std::optional<Time> deadline = {};

  PlannedAndReal<Duration> turnaround = {};  // real: until the last end, or now
  PlannedAndReal<double> cpu_seconds = {};   // processors x time; real: of all attempts
  double lost_cpu_seconds = 0;               // the part of attempts that do not count
  double used_cpu_seconds = 0;               // CPU time of the finished processes
  double offered_cpu_seconds = 0;            // processors x time of the same
  PlannedAndReal<double> use = {};           // share of the processors in use, 0 to 1
  PlannedAndReal<WaitFacts> wait = {};
  Duration idle = 0;  // time without a running task, until the last end

  std::size_t decisions = 0;  // about changing the plan
  std::size_t plans_made = 0;
  std::size_t plans_adopted = 0;
  std::size_t done = 0;
  std::size_t failed = 0;
  std::size_t running = 0;
  std::size_t waiting = 0;
  std::size_t kept = 0;           // among the done ones
  std::size_t vain_attempts = 0;  // failed, stopped or lost
  std::size_t tasks_tried_again = 0;

  std::vector<TaskFacts> tasks = {};  // by task
  std::vector<KindFacts> kinds = {};  // in the order of their first tasks
};

// `now`: the time on the run's clock while a process works on the run; else nothing.
RunFacts facts_of(const Problem& problem, const RunState& state, std::optional<Time> now = {});

}  // namespace dovetail::run
