// The frame of strategies that queue the next job while the last one runs, so that its wait and the
// run overlap.
#pragma once

#include "queue/strategies/decisions.hpp"

namespace dovetail::queue {

class OverlapStrategy : public Strategy {
 public:
  explicit OverlapStrategy(const Cutting& cutting) : cutting_(cutting) {}

  void begin(Desk& desk) override { invoke(desk); }
  void started(Desk& desk, PilotId) override { invoke(desk); }
  void ended(Desk& desk, PilotId, PilotOutcome outcome) override {
    // What was queued behind a job that expired was sized for other tasks.
    if (outcome == PilotOutcome::expired && !single_mode_) cancel_idle(desk);
    invoke(desk);
  }
  bool in_single_mode() const override { return single_mode_; }

 protected:
  const Cutting& cutting() const { return cutting_; }
  void enter_single_mode() { single_mode_ = true; }
  void leave_single_mode() { single_mode_ = false; }

  // Whether another job may join the queue: none of the workflow's waits, and the cap allows it.
  bool may_queue(const Desk& desk) const;

  // Chooses among the open tasks and submits one job, or enters single mode. `delay` is how long
  // the workflow's running jobs may still take.
  virtual void choose(Desk& desk, const TaskSet& open, Duration delay) = 0;

  // What happens at every decision in single mode.
  virtual void submit_singles(Desk& desk) { cutting_.submit_ready_tasks(desk); }

 private:
  void invoke(Desk& desk);
  static void cancel_idle(Desk& desk);

  Cutting cutting_;
  bool single_mode_ = false;
};

}  // namespace dovetail::queue
