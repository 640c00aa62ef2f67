// ONEJOB: the whole workflow as one job, on the number of nodes that is estimated to end first.
#include "queue/strategies/table.hpp"

namespace dovetail {

namespace {

class OneJob final : public Strategy {
 public:
  explicit OneJob(const Cutting& cutting) : cutting_(cutting) {}

  void begin(Desk& desk) override { submit(desk); }

  // Only a job that expired leaves something to do.
  void ended(Desk& desk, PilotId, PilotOutcome outcome) override {
    if (outcome == PilotOutcome::expired) submit(desk);
  }

 private:
  void submit(Desk& desk) const { cutting_.submit_best(desk, cutting_.open_tasks(desk)); }

  Cutting cutting_;
};

}  // namespace

std::unique_ptr<Strategy> make_one_job(RunTimes& run_times, const StrategyOptions& options) {
  return std::make_unique<OneJob>(Cutting(run_times, options));
}

}  // namespace dovetail
