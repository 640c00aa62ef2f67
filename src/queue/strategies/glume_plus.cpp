// GLUME+: GLUME that may also submit tasks one by one, from now on or after the next job, when that
// is clearly estimated to end earlier under the cap; and that can be told how well the nodes it
// holds must be used.
//
// A job in the queue keeps its place, single tasks have none: they must look better by a margin.
// The decision is made again whenever a job starts, and in single mode whenever a level is
// complete.
#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "queue/strategies/allocation.hpp"
#include "queue/strategies/decisions.hpp"
#include "queue/strategies/overlap.hpp"

namespace dovetail::queue {

namespace {

// What is known when the first of the tasks may be submitted.
struct SinglesStart {
  Time now = 0;
  Time first = 0;      // no task is submitted before
  Time held_done = 0;  // when the tasks in the workflow's other jobs are taken to be done
  Count cap = 0;       // jobs at once; 0: no limit
  Duration pressure = 0;
  Count share = 0;  // nodes that others leave to the tasks in the long run; 0: unknown
};

// Submits tasks in simulated time, on a copy of the queue's plan.
class Singles {
 public:
  Singles(const Cutting& cutting, const WaitEstimator& queue, const SinglesStart& start)
      : cutting_(cutting),
        outlook_(queue.outlook()),
        user_(queue.user()),
        start_(start),
        share_nodes_(start.share > 0 ? start.share : outlook_.room.nodes()),
        share_(share_nodes_),
        in_set_(cutting.tasks().size()),
        waits_for_(cutting.tasks().size()),
        earliest_(cutting.tasks().size()) {}

  Duration run(const Desk& desk, const TaskSet& set) {
    for (const TaskId task : set.tasks) in_set_[task] = 1;
    for (const TaskId task : set.tasks) look_at_parents(desk, task);
    Time last = start_.now;
    for (Time now = next(); now < kForever; now = next()) {
      for (; !ends_.empty() && ends_.top().first <= now; ends_.pop()) {
        last = now;
        --live_;
        finish(ends_.top().second, now);
      }
      for (; !arrivals_.empty() && arrivals_.top().first <= now; arrivals_.pop()) {
        const TaskId task = arrivals_.top().second;
        ready_.emplace(cutting_.tasks().bottom_level(task), ~task);
      }
      submit(now);
    }
    return last - start_.now;
  }

 private:
  using Moments = std::priority_queue<std::pair<Time, TaskId>, std::vector<std::pair<Time, TaskId>>,
                                      std::greater<>>;

  // A task waits for its parents in the set, and for what other jobs of the workflow hold.
  void look_at_parents(const Desk& desk, TaskId task) {
    earliest_[task] = start_.first;
    for (const TaskId parent : cutting_.tasks().parents(task)) {
      if (in_set_[parent] != 0) {
        ++waits_for_[task];
      } else if (desk.state(parent) == TaskStage::held) {
        earliest_[task] = std::max(start_.first, start_.held_done);
      }
    }
    if (waits_for_[task] == 0) arrivals_.emplace(earliest_[task], task);
  }

  Time next() const {
    Time time = ends_.empty() ? kForever : ends_.top().first;
    if (!arrivals_.empty()) time = std::min(time, arrivals_.top().first);
    return time;
  }

  void finish(TaskId task, Time now) {
    for (const TaskId child : cutting_.tasks().children(task)) {
      if (in_set_[child] != 0 && --waits_for_[child] == 0) {
        arrivals_.emplace(std::max(now, earliest_[child]), child);
      }
    }
  }

  void submit(Time now) {
    const bool is_seen = now == start_.now;  // others come later
    const Time from = std::max(is_seen ? now : now + start_.pressure, outlook_.not_before);
    while (!ready_.empty() && (start_.cap == 0 || live_ < start_.cap)) {
      const TaskId task = ~ready_.top().second;
      ready_.pop();
      const Duration length = cutting_.tasks().time(task);
      // Of a task for which there are not enough nodes now, its job waits for more.
      const Ask ask{.nodes = std::min(cutting_.tasks().nodes(task), outlook_.room.nodes()),
                    .length = cutting_.request(length),
                    .user = user_};
      const BlockSlot slot =
          is_seen ? outlook_.room.earliest(ask, from) : earliest_shared(ask, from);
      outlook_.room.take(ask, slot);
      const Interval window{slot.start, slot.start + ask.length};
      if (ask.nodes <= share_nodes_ && share_.fits(window, ask.nodes)) {
        share_.reserve(window, ask.nodes);
      }
      ends_.emplace(slot.start + length, task);
      ++live_;
    }
  }

  // The earliest place within the share. A task that needs more than all of the share gets the
  // earliest place that there is.
  BlockSlot earliest_shared(const Ask& ask, Time from) const {
    for (;;) {
      const BlockSlot slot = outlook_.room.earliest(ask, from);
      if (ask.nodes > share_nodes_) return slot;
      from = share_.earliest_fit(ask.nodes, ask.length, slot.start).value();
      if (from == slot.start) return slot;
    }
  }

  const Cutting& cutting_;
  Outlook outlook_;
  std::int64_t user_;
  SinglesStart start_;
  Count share_nodes_;                     // that others leave
  Calendar share_;                        // of these nodes
  std::vector<char> in_set_;              // by task, as the next two
  std::vector<std::uint32_t> waits_for_;  // parents in the set
  std::vector<Time> earliest_;
  Moments arrivals_;  // tasks by when they become ready
  Moments ends_;
  std::priority_queue<std::pair<Duration, TaskId>> ready_;  // by bottom level; ~task: file order
  Count live_ = 0;
};

// From now to the end of the last task. Each task is given the earliest place in the queue's
// outlook. Jobs that others will submit meanwhile cannot be seen: what stands for them is
// `pressure`, which tasks that are submitted later wait in addition, and `share`, beyond which no
// such tasks run at once.
Duration singles_end(const Cutting& cutting, const Desk& desk, const WaitEstimator& queue,
                     const TaskSet& set, const SinglesStart& start) {
  return Singles(cutting, queue, start).run(desk, set);
}

// Ready tasks by decreasing bottom level, as singles_end takes them.
std::vector<TaskId> by_urgency(const Cutting& cutting, std::vector<TaskId> tasks) {
  std::ranges::stable_sort(tasks, std::greater<>(),
                           [&](TaskId task) { return cutting.tasks().bottom_level(task); });
  return tasks;
}

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
      desk.submit(
          {{task}, cutting().tasks().nodes(task), cutting().request(cutting().tasks().time(task))});
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
    Duration sum = 0;
    for (const TaskId task : set.tasks) sum += cutting().tasks().time(task);
    const Duration mean = sum / static_cast<Duration>(set.tasks.size());
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

}  // namespace dovetail::queue
