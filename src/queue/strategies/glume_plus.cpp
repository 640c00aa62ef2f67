// GLUME+: GLUME that may also submit tasks one by one, from now on or after the next job, when that
// is clearly estimated to end earlier under the cap; and that can be told how well the nodes it
// holds must be used.
//
// A job in the queue keeps its place, single tasks have none: they must look
// better by a margin. The decision is made again whenever a job starts, and in single mode whenever
// a level is complete.
#include <algorithm>
#include <cmath>

#include "queue/strategies/allocation.hpp"
#include "queue/strategies/overlap.hpp"
#include "queue/strategies/singles.hpp"
#include "queue/strategies/table.hpp"

namespace dovetail {

namespace {

class GlumePlus final : public OverlapStrategy {
 public:
  using OverlapStrategy::OverlapStrategy;

 private:
  // Whether the first end is earlier by so much that it is worth giving up the other way.
  // (21 first < 20 other, which must not overflow when there is no other way.)
  static bool is_clearly_earlier(Duration first, Duration other) {
    return first < other - other / 21;
  }

  void choose(Desk& desk, const TaskSet& open, Duration delay) override {
    const WaitEstimator& queue = desk.queue();
    Split jobs = best_split(cutting(), queue, open, delay);
    const Duration singles = singles_from(desk, open, desk.now(), delay);
    Split mixed = jobs_then_singles(desk, open, delay);
    if (is_clearly_earlier(singles, std::min(jobs.end, mixed.end))) {
      enter_single_mode();
      levels_done_ = complete_levels(desk);
      return;
    }
    const Allocation& job = is_clearly_earlier(mixed.end, jobs.end) ? mixed.first : jobs.first;
    cutting().submit(desk, job.set, job.nodes, job.length());
  }

  void submit_singles(Desk& desk) override {
    const std::uint32_t complete = complete_levels(desk);
    if (complete > levels_done_) {
      levels_done_ = complete;
      if (returns_to_jobs(desk)) return;
    }
    std::vector<TaskId> ready;
    for (const TaskId task : cutting().open_tasks(desk).tasks) {
      if (cutting().is_ready(desk, task)) ready.push_back(task);
    }
    for (const TaskId task : by_urgency(cutting(), std::move(ready))) {
      if (!cutting().may_submit(desk)) return;
      desk.submit({{task}, 1, cutting().request(cutting().tasks().time(task))});
    }
  }

  bool returns_to_jobs(Desk& desk) {
    const TaskSet open = cutting().open_tasks(desk);
    if (open.tasks.empty() || !may_queue(desk)) return false;
    const Duration delay = cutting().delay(desk);
    const Split jobs = best_split(cutting(), desk.queue(), open, delay);
    if (!is_clearly_earlier(jobs.end, singles_from(desk, open, desk.now(), delay))) return false;
    leave_single_mode();
    cutting().submit(desk, jobs.first.set, jobs.first.nodes, jobs.first.length());
    return true;
  }

  // From now to the end of the set's tasks, submitted one by one from `first` on.
  Duration singles_from(Desk& desk, const TaskSet& set, Time first, Duration delay) const {
    const Duration mean = set.work / static_cast<Duration>(set.tasks.size());
    const Count cap = cutting().options().cap;
    const auto others = static_cast<Count>(desk.live_count());
    const SinglesStart start{.now = desk.now(),
                             .first = first,
                             .held_done = desk.now() + delay,
                             .cap = cap == 0 ? 0 : std::max<Count>(1, cap - others),
                             .pressure = desk.recent_wait(cutting().request(mean)).value_or(0),
                             .share = share(desk)};
    return singles_end(cutting(), desk, desk.queue(), set, start);
  }

  // What other users leave of the machine; 0: unknown.
  static Count share(Desk& desk) {
    const auto use = desk.recent_use();
    if (!use) return 0;
    const Count nodes = desk.queue().outlook().room.nodes();
    return std::max<Count>(1, nodes - static_cast<Count>(std::lround(*use)));
  }

  // The best way to run some levels as a job and the rest one by one.
  Split jobs_then_singles(Desk& desk, const TaskSet& open, Duration delay) const {
    Split best;
    best.end = kForever;
    for (const std::uint32_t level : cutting().levels_of(open)) {
      if (level == open.last_level) break;
      Allocation first = allocate(cutting(), desk.queue(),
                                  cutting().on_levels(open, open.first_level, level), delay);
      if (!first.may_split()) continue;
      const TaskSet rest = cutting().on_levels(open, level + 1, open.last_level);
      const Duration end = singles_from(desk, rest, desk.now() + first.end(), delay);
      if (end < best.end) best = {std::move(first), end};
    }
    return best;
  }

  // How many levels, from the first, have all their tasks done.
  std::uint32_t complete_levels(const Desk& desk) const {
    std::uint32_t level = cutting().tasks().level_count();
    for (TaskId task = 0; task < cutting().tasks().size(); ++task) {
      if (desk.state(task) != TaskStage::done) {
        level = std::min(level, cutting().tasks().level(task));
      }
    }
    return level;
  }

  std::uint32_t levels_done_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_glume_plus(RunTimes& run_times, const StrategyOptions& options) {
  return std::make_unique<GlumePlus>(Cutting(run_times, options));
}

}  // namespace dovetail
