// ONEJOBPERTASK: every task is a job of its own, submitted as soon as it is ready and the cap
// allows. What most workflow systems do.
#include "queue/strategies/table.hpp"

namespace dovetail {

namespace {

class OneJobPerTask final : public Strategy {
 public:
  explicit OneJobPerTask(const Cutting& cutting) : cutting_(cutting) {}

  void begin(Desk& desk) override { cutting_.submit_ready_tasks(desk); }
  void ended(Desk& desk, PilotId, PilotOutcome) override { cutting_.submit_ready_tasks(desk); }
  bool in_single_mode() const override { return true; }

 private:
  Cutting cutting_;
};

}  // namespace

std::unique_ptr<Strategy> make_one_job_per_task(RunTimes& run_times,
                                                const StrategyOptions& options) {
  return std::make_unique<OneJobPerTask>(Cutting(run_times, options));
}

}  // namespace dovetail
