#include "queue/strategies/singles.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace dovetail {

namespace {

// Submits tasks in simulated time, on a copy of the queue's plan.
class Singles {
 public:
  Singles(const Cutting& cutting, const WaitEstimator& queue, const SinglesStart& start)
      : cutting_(cutting),
        outlook_(queue.outlook()),
        user_(queue.user()),
        start_(start),
        share_(start.share > 0 ? start.share : outlook_.room.nodes()),
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
      const Ask ask{.nodes = 1, .length = cutting_.request(length), .user = user_};
      const BlockSlot slot =
          is_seen ? outlook_.room.earliest(ask, from) : earliest_shared(ask, from);
      outlook_.room.take(ask, slot);
      const Interval window{slot.start, slot.start + ask.length};
      if (share_.fits(window, 1)) share_.reserve(window, 1);
      ends_.emplace(slot.start + length, task);
      ++live_;
    }
  }

  // The earliest place within the share.
  BlockSlot earliest_shared(const Ask& ask, Time from) const {
    for (;;) {
      const BlockSlot slot = outlook_.room.earliest(ask, from);
      from = share_.earliest_fit(1, ask.length, slot.start).value();
      if (from == slot.start) return slot;
    }
  }

  const Cutting& cutting_;
  Outlook outlook_;
  std::int64_t user_;
  SinglesStart start_;
  Calendar share_;                        // of the nodes that others leave
  std::vector<char> in_set_;              // by task, as the next two
  std::vector<std::uint32_t> waits_for_;  // parents in the set
  std::vector<Time> earliest_;
  Moments arrivals_;  // tasks by when they become ready
  Moments ends_;
  std::priority_queue<std::pair<Duration, TaskId>> ready_;  // by bottom level; ~task: file order
  Count live_ = 0;
};

}  // namespace

Duration singles_end(const Cutting& cutting, const Desk& desk, const WaitEstimator& queue,
                     const TaskSet& set, const SinglesStart& start) {
  return Singles(cutting, queue, start).run(desk, set);
}

std::vector<TaskId> by_urgency(const Cutting& cutting, std::vector<TaskId> tasks) {
  std::ranges::stable_sort(tasks, std::greater<>(),
                           [&](TaskId task) { return cutting.tasks().bottom_level(task); });
  return tasks;
}

}  // namespace dovetail
