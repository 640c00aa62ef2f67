// When tasks start inside of jobs, read off the definition, second by second. It is the oracle of
// the property tests and shares nothing with the library.
//
//   plain::JobsOfTasks jobs{.nodes = {2}, .tasks = {{.seconds = 5}, {.seconds = 3, .parents =
//   {0}}}}; std::vector<int> starts = plain::task_starts(jobs);
#pragma once

#include <algorithm>
#include <vector>

namespace dovetail::plain {

struct TaskOfJob {
  int job = 0;  // -1: of another batch system, say; it is done when its seconds are over, -1: never
  int seconds = 1;
  std::vector<int> parents = {};
  bool fails = false;       // at its end
  bool loses_node = false;  // when it fails
};

struct JobsOfTasks {
  std::vector<int> nodes = {1};  // by job; all begin at 0
  std::vector<TaskOfJob> tasks = {};
  bool picks_longest = false;
  int limit = 1 << 30;  // of all jobs: no task starts that would end later
};

constexpr int kNotStarted = -1;

// Of every task, also of those outside, which start at 0; kNotStarted for those that are never
// started.
inline std::vector<int> task_starts(const JobsOfTasks& work) {
  const auto count = static_cast<int>(work.tasks.size());
  std::vector<int> starts(work.tasks.size(), kNotStarted);
  const auto task = [&](int i) -> const TaskOfJob& {
    return work.tasks[static_cast<std::size_t>(i)];
  };
  const auto start = [&](int i) -> int& { return starts[static_cast<std::size_t>(i)]; };
  int last = 1;
  for (int i = 0; i < count; ++i) {
    last += std::max(0, task(i).seconds);
    if (task(i).job < 0) start(i) = 0;
  }
  const auto has_ended = [&](int i, int now) {
    return start(i) != kNotStarted && task(i).seconds >= 0 && start(i) + task(i).seconds <= now;
  };
  for (int now = 0; now <= last; ++now) {
    for (int job = 0; job < static_cast<int>(work.nodes.size()); ++job) {
      for (;;) {
        int busy = 0;
        int best = kNotStarted;
        for (int i = 0; i < count; ++i) {
          if (task(i).job != job) continue;
          if (start(i) != kNotStarted) {
            const bool keeps = task(i).fails && task(i).loses_node;
            busy += !has_ended(i, now) || keeps ? 1 : 0;
            continue;
          }
          bool can_start = now + task(i).seconds <= work.limit;
          for (const int parent : task(i).parents) {
            can_start = can_start && has_ended(parent, now) && !task(parent).fails;
          }
          if (!can_start) continue;
          const bool is_better =
              best == kNotStarted || (work.picks_longest ? task(i).seconds > task(best).seconds
                                                         : task(i).seconds < task(best).seconds);
          if (is_better) best = i;
        }
        if (best == kNotStarted || busy >= work.nodes[static_cast<std::size_t>(job)]) break;
        start(best) = now;
      }
    }
  }
  return starts;
}

}  // namespace dovetail::plain
