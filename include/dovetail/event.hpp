// Events that can happen while a plan is in force, read from a file or reported by a cluster.
#pragma once

#include <string>

#include "dovetail/problem.hpp"

namespace dovetail {

inline constexpr double kMaxFactor = 1e6;

struct Event {
  enum class Kind {
    // A resource of a pool:
    join,
    leave,        // without warning: tasks running there are lost
    leave_later,  // announced: nothing may end there after `until`
    slow,         // tasks there take `factor` times as long as given
    // Processors of a cluster:
    reserve,  // others book `procs` from `start` to `until`
    cancel,   // a booking is given up
    fail,     // `procs` are unavailable until `until`
    // A task:
    late,  // the rest of the task, or all if it waits, takes `factor` times as long; early: below 1
    lost   // it has stopped and must run again
  };

  Time time = 0;
  Kind kind = Kind::join;
  std::uint32_t resource = 0;  // position in Platform::clusters()
  Time until = 0;
  double factor = 1;
  TaskId task = 0;  // counted over all workflows: Problem::task_at
  Time start = 0;
  Count procs = 0;
  friend bool operator==(const Event&, const Event&) = default;
};

// "join r4", "reserve 16 from 15m to 30m", "late solve x1.5".
std::string describe(const Event& event, const Problem& problem);

}  // namespace dovetail
