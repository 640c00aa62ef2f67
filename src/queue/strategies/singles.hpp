// When would the workflow end if its tasks were submitted one by one?
#pragma once

#include "queue/strategies/decisions.hpp"

namespace dovetail {

// What is known when the first of the tasks may be submitted.
struct SinglesStart {
  Time now = 0;
  Time first = 0;      // no task is submitted before
  Time held_done = 0;  // when the tasks in the workflow's other jobs are taken to be done
  Count cap = 0;       // jobs at once; 0: no limit
  Duration pressure = 0;
  Count share = 0;  // nodes that others leave to the tasks in the long run; 0: unknown
};

// From now to the end of the last task. Each task is given the earliest place in the queue's
// outlook. Jobs that others will submit meanwhile cannot be seen: what stands for them is
// `pressure`, which tasks that are submitted later wait in addition, and `share`, beyond which no
// such tasks run at once.
Duration singles_end(const Cutting& cutting, const Desk& desk, const WaitEstimator& queue,
                     const TaskSet& set, const SinglesStart& start);

// Ready tasks by decreasing bottom level, as singles_end takes them.
std::vector<TaskId> by_urgency(const Cutting& cutting, std::vector<TaskId> tasks);

}  // namespace dovetail
