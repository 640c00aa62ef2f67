// The strategies that weigh nothing: ONEJOB, LEVELBYLEVEL and ONEJOBPERTASK.
#include "queue/strategies/decisions.hpp"

namespace dovetail::queue {

namespace {

// The whole workflow as one job, on the number of nodes that is estimated to end first.
class OneJob final : public Strategy {
 public:
  explicit OneJob(const Cutting& cutting) : cutting_(cutting) {}

  void begin(Desk& desk) override { cutting_.submit_best(desk, cutting_.open_tasks(desk)); }

  // Only a job that expired leaves something to do.
  void ended(Desk& desk, PilotId, PilotOutcome outcome) override {
    if (outcome == PilotOutcome::expired) begin(desk);
  }

 private:
  Cutting cutting_;
};

// One job per level of the workflow, each submitted when the one before has ended.
class LevelByLevel final : public Strategy {
 public:
  explicit LevelByLevel(const Cutting& cutting) : cutting_(cutting) {}

  void begin(Desk& desk) override {
    const TaskSet open = cutting_.open_tasks(desk);
    if (open.tasks.empty()) return;
    cutting_.submit_best(desk, cutting_.on_levels(open, open.first_level, open.first_level));
  }
  void ended(Desk& desk, PilotId, PilotOutcome) override { begin(desk); }

 private:
  Cutting cutting_;
};

// Every task is a job, submitted as soon as it is ready and the cap allows. What most workflow
// systems do.
class OneJobPerTask final : public Strategy {
 public:
  explicit OneJobPerTask(const Cutting& cutting) : cutting_(cutting) {}

  void begin(Desk& desk) override { cutting_.submit_ready_tasks(desk); }
  void ended(Desk& desk, PilotId, PilotOutcome) override { begin(desk); }
  bool in_single_mode() const override { return true; }

 private:
  Cutting cutting_;
};

}  // namespace

std::unique_ptr<Strategy> make_one_job(RunTimes& run_times, const StrategyOptions& options) {
  return std::make_unique<OneJob>(Cutting(run_times, options));
}

std::unique_ptr<Strategy> make_level_by_level(RunTimes& run_times, const StrategyOptions& options) {
  return std::make_unique<LevelByLevel>(Cutting(run_times, options));
}

std::unique_ptr<Strategy> make_one_job_per_task(RunTimes& run_times,
                                                const StrategyOptions& options) {
  return std::make_unique<OneJobPerTask>(Cutting(run_times, options));
}

}  // namespace dovetail::queue
