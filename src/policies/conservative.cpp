// Conservative backfilling (Mu'alem and Feitelson 2001): every waiting job holds a place in the
// plan; a new one takes the earliest that is left. When a job ends, the plan is compressed.
//
// Cost: a new job is one search. Compression tries only jobs that a rise of the free nodes could
// have helped (raised.hpp), so that long queues stay cheap; the plan is that of trying them all.
#include "policies/conservative.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "policies/raised.hpp"

namespace dovetail {

namespace {

struct Waiting {
  Ask ask;
  Slot slot;
  JobSlot job = 0;
};

class Conservative final : public Scheduler {
 public:
  explicit Conservative(const QueueRules& rules)
      : compress_(rules.compress), plan_{Room(rules.room, rules.reservations)} {}

  std::unique_ptr<Scheduler> clone() const override {
    return std::make_unique<Conservative>(*this);
  }

  void submit(JobSlot job, const Ask& ask) override {
    queue_.push_back({ask, {}, job});
    longest_ = std::max(longest_, ask.length);
  }

  void end(JobSlot job, Time now) override {
    give_back(running_[job].ask, running_[job].slot, now);
  }

  void withdraw(JobSlot job, Time now) override {
    const auto gone = std::ranges::find(queue_, job, &Waiting::job);
    assert(gone != queue_.end());
    if (gone - queue_.begin() < static_cast<std::ptrdiff_t>(planned_)) {
      --planned_;
      give_back(gone->ask, gone->slot, now);
    }
    queue_.erase(gone);
  }

  std::span<const JobSlot> pass(Time now) override {
    plan_.room.advance(now);
    if (has_ended_) compress(now);
    has_ended_ = false;
    for (; planned_ < queue_.size(); ++planned_) plan(queue_[planned_], now);
    start_due(now);
    return started_;
  }

  Time next_start() const override { return next_start_; }

  const Outlook& outlook(Time) override { return plan_; }

  std::optional<Time> promised(JobSlot job) const override {
    const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(planned_);
    const auto found = std::find_if(queue_.begin(), end,
                                    [&](const Waiting& waiting) { return waiting.job == job; });
    return found == end ? std::nullopt : std::optional(found->slot.start);
  }

  std::size_t waiting() const override { return queue_.size(); }

 private:
  // So few jobs are tried faster than chosen.
  static constexpr std::size_t kFewWaiting = 24;

  void give_back(const Ask& ask, const Slot& slot, Time from) {
    plan_.room.give_back(ask, slot, from);
    has_ended_ = true;
    note_rise({std::max(from, slot.start), slot.start + ask.length});
  }

  void note_rise(Interval window) {
    if (window.begin < window.end) risen_.push_back(window);
  }

  void plan(Waiting& waiting, Time now) {
    waiting.slot = plan_.room.earliest(waiting.ask, now);
    plan_.room.take(waiting.ask, waiting.slot);
    next_start_ = std::min(next_start_, waiting.slot.start);
  }

  void compress(Time now) {
    if (compress_ == Compress::arrival) move_up(now);
    if (compress_ == Compress::rebuild) rebuild(now);
    if (compress_ == Compress::none) risen_.clear();
  }

  void rebuild(Time now) {
    for (std::size_t i = 0; i < planned_; ++i) {
      plan_.room.give_back(queue_[i].ask, queue_[i].slot, now);
    }
    planned_ = 0;
    next_start_ = kForever;
    risen_.clear();
  }

  void move_up(Time now) {
    const Calendar* free = plan_.room.counts();
    if (free == nullptr) {
      for (std::size_t i = 0; i < planned_; ++i) {
        queue_[i].slot = plan_.room.move_up(queue_[i].ask, queue_[i].slot, now);
        next_start_ = std::min(next_start_, queue_[i].slot.start);
      }
    } else if (!risen_.empty()) {
      const auto risen = std::exchange(risen_, {});
      raised_.clear();
      if (planned_ > kFewWaiting) {
        for (const Interval& window : risen) add_rise(window, now, *free);
      }
      for (std::size_t i = 0; i < planned_; ++i) move_by_counts(queue_[i], now, *free);
    }
  }

  void move_by_counts(Waiting& waiting, Time now, const Calendar& free) {
    const Ask& ask = waiting.ask;
    const Time old = waiting.slot.start;
    const Time chance = planned_ > kFewWaiting ? raised_.first_chance(ask, old) : now;
    if (chance == kForever) return;
    const Time start = free.earliest_move(ask.nodes, ask.length, std::max(now, chance), old);
    if (start < old) {
      plan_.room.move(ask, old, start);
      waiting.slot.start = start;
      next_start_ = std::min(next_start_, start);
      const Interval left{std::max(start + ask.length, old), old + ask.length};
      note_rise(left);
      if (planned_ > kFewWaiting) add_rise(left, now, free);
    } else if (planned_ > kFewWaiting) {
      raised_.look_again(ask, old, free);
    }
  }

  void add_rise(Interval window, Time now, const Calendar& free) {
    window.begin = std::max(window.begin, now);
    if (window.begin < window.end) raised_.add(window, free, longest_);
  }

  void start_due(Time now) {
    started_.clear();
    if (next_start_ > now) return;
    next_start_ = kForever;
    for (const Waiting& waiting : queue_) {
      if (waiting.slot.start == now) {
        running_.start(waiting.job, {waiting.ask, waiting.slot});
        started_.push_back(waiting.job);
      } else {
        next_start_ = std::min(next_start_, waiting.slot.start);
      }
    }
    std::erase_if(queue_, [now](const Waiting& waiting) { return waiting.slot.start == now; });
    planned_ = queue_.size();
  }

  Compress compress_;
  Outlook plan_;                // everybody who runs or has a planned start
  std::vector<Waiting> queue_;  // by arrival; the first planned_ have a place
  std::size_t planned_ = 0;
  RunningJobs running_;
  std::vector<Interval> risen_;  // where nodes became free since the last compression began
  Raised raised_;
  Duration longest_ = 0;  // request so far
  bool has_ended_ = false;
  Time next_start_ = kForever;
  std::vector<JobSlot> started_;
};

}  // namespace

std::unique_ptr<Scheduler> make_conservative(const QueueRules& rules) {
  return std::make_unique<Conservative>(rules);
}

}  // namespace dovetail
