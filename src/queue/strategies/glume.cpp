// GLUME (Hataishi, Dutot, Ferreira da Silva, Casanova): the next job takes the levels after which
// the rest, as one job queued while the first one runs, is estimated to end first. A job's request
// carries a leeway, so that it does not start and expire before its predecessors are done.
//
// Cost: O(levels x nodes) list schedules and estimates a decision, few of which are left after
// lower bounds and what is known already.
#include "queue/strategies/allocation.hpp"
#include "queue/strategies/decisions.hpp"
#include "queue/strategies/overlap.hpp"

namespace dovetail::queue {

namespace {

class Glume final : public OverlapStrategy {
 public:
  using OverlapStrategy::OverlapStrategy;

 private:
  void choose(Desk& desk, const TaskSet& open, Duration delay) override {
    const Allocation job = best_split(cutting(), desk.queue(), open, delay).first;
    cutting().submit(desk, job.set, job.nodes, job.length());
  }
};

}  // namespace

std::unique_ptr<Strategy> make_glume(RunTimes& run_times, const StrategyOptions& options) {
  StrategyOptions published = options;
  published.min_utilisation = 0;  // GLUME+ alone has it
  return std::make_unique<Glume>(Cutting(run_times, published));
}

}  // namespace dovetail::queue
