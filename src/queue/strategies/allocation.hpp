// A job of GLUME: how many nodes, how long, and how much longer so that it does not start too
// early.
#pragma once

#include "queue/strategies/decisions.hpp"

namespace dovetail::queue {

struct Allocation {
  TaskSet set;
  Count nodes = 0;
  Duration run = 0;
  Duration leeway = 0;
  Duration wait = 0;  // of a job of run + leeway
  bool is_wasteful = false;

  Duration length() const { return run + leeway; }
  // From now to its end, as estimated.
  Duration end() const { return wait + leeway + run; }
  // Not when more than a tenth of the run would be spent waiting for predecessors, nor when no
  // number of nodes is used as well as it must be.
  bool may_split() const { return 10 * leeway <= run && !is_wasteful; }
};

// The least extra time with which a job of this size starts so late that the delay and the run both
// fit; whole seconds.
Duration least_leeway(const WaitEstimator& queue, Count nodes, Duration run, Duration delay,
                      LeewayRule rule);

Allocation allocate(const Cutting& cutting, const WaitEstimator& queue, TaskSet set,
                    Duration delay);

// Two jobs, all levels up to one and the rest, or one job for all: what GLUME weighs.
struct Split {
  Allocation first;
  Duration end = 0;  // of all, as estimated
};

// The best split of the open tasks, be it none; as published.
Split best_split(const Cutting& cutting, const WaitEstimator& queue, const TaskSet& open,
                 Duration delay);

}  // namespace dovetail::queue
