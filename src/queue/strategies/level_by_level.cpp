// LEVELBYLEVEL: one job per level of the workflow, each submitted when the one before has ended.
#include "queue/strategies/table.hpp"

namespace dovetail {

namespace {

class LevelByLevel final : public Strategy {
 public:
  explicit LevelByLevel(const Cutting& cutting) : cutting_(cutting) {}

  void begin(Desk& desk) override { submit(desk); }
  void ended(Desk& desk, PilotId, PilotOutcome) override { submit(desk); }

 private:
  void submit(Desk& desk) const {
    const TaskSet open = cutting_.open_tasks(desk);
    if (open.tasks.empty()) return;
    cutting_.submit_best(desk, cutting_.on_levels(open, open.first_level, open.first_level));
  }

  Cutting cutting_;
};

}  // namespace

std::unique_ptr<Strategy> make_level_by_level(RunTimes& run_times, const StrategyOptions& options) {
  return std::make_unique<LevelByLevel>(Cutting(run_times, options));
}

}  // namespace dovetail
