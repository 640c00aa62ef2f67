// ZHANG (Zhang, Koelbel, Cooper 2009): levels join the next job as long as the ratio of its wait to
// its run time falls. When even all that is left would wait more than twice its run time, tasks go
// one by one.
//
// Cost: one list schedule and one estimate per level.
#include <algorithm>

#include "queue/strategies/decisions.hpp"
#include "queue/strategies/overlap.hpp"

namespace dovetail::queue {

namespace {

// Levels up to one of them as a job.
struct Option {
  TaskSet set;
  Count nodes = 0;
  Duration run = 0;
  Duration wait = 0;
};

__extension__ using Wide = __int128;  // products of times

// Whether a's ratio of wait to run is smaller, without rounding.
bool has_lower_ratio(const Option& a, const Option& b) {
  return Wide{a.wait} * b.run < Wide{b.wait} * a.run;
}

class Zhang final : public OverlapStrategy {
 public:
  using OverlapStrategy::OverlapStrategy;

 private:
  void choose(Desk& desk, const TaskSet& open, Duration delay) override {
    const WaitEstimator& queue = desk.queue();
    const Option best = cutting().options().zhang == ZhangRule::paper ? by_paper(queue, open)
                                                                      : by_code(queue, open);
    const bool is_all = best.set.tasks.size() == open.tasks.size();
    if (is_all && best.wait > 2 * best.run) {
      enter_single_mode();
      return;
    }
    cutting().submit(desk, best.set, best.nodes, best.run + leeway(queue, best, delay));
  }

  Option option(const WaitEstimator& queue, const TaskSet& open, std::uint32_t last) const {
    Option result{cutting().on_levels(open, open.first_level, last)};
    result.nodes = Cutting::most_nodes(queue, result.set);
    result.run = cutting().run(result.set, result.nodes);
    result.wait = queue.wait(result.nodes, result.run);
    return result;
  }

  Option by_paper(const WaitEstimator& queue, const TaskSet& open) const {
    Option best = option(queue, open, open.last_level);
    for (const std::uint32_t level : cutting().levels_of(open)) {
      if (level == open.last_level) break;
      Option next = option(queue, open, level);
      if (has_lower_ratio(best, next)) break;
      best = std::move(next);
    }
    return best;
  }

  // The authors' program: grows while the wait is longer than the run.
  Option by_code(const WaitEstimator& queue, const TaskSet& open) const {
    Option best;
    for (const std::uint32_t level : cutting().levels_of(open)) {
      Option next = option(queue, open, level);
      const bool is_first = best.nodes == 0;
      if (is_first && next.wait > next.run && level < open.last_level) continue;
      if (!is_first && has_lower_ratio(best, next)) break;
      best = std::move(next);
    }
    return best;
  }

  // Halved as long as half is enough to push the start past the delay.
  static Duration leeway(const WaitEstimator& queue, const Option& job, Duration delay) {
    constexpr Duration kShort = 600 * kSecond;
    Duration leeway = std::max<Duration>(0, delay - job.wait);
    while (leeway > kShort) {
      const Duration half = (leeway / kSecond + 1) / 2 * kSecond;
      if (queue.wait(job.nodes, job.run + half) <= delay) break;
      leeway = half;
    }
    return leeway;
  }
};

}  // namespace

std::unique_ptr<Strategy> make_zhang(RunTimes& run_times, const StrategyOptions& options) {
  return std::make_unique<Zhang>(Cutting(run_times, options));
}

}  // namespace dovetail::queue
