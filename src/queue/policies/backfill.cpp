// Backfilling with a limited number of promises, made anew at every decision: the first `depth`
// waiting jobs that cannot start hold a place, and jobs that do not disturb them may start. One
// promise is EASY (Lifka 1995). First come, first served makes none and lets no job pass.
//
// Cost: a decision looks at every waiting job once, most of them by their node count alone.
#include <algorithm>
#include <cassert>

#include "queue/policies/scheduler.hpp"

namespace dovetail::queue {

namespace {

struct WaitingJob {
  Ask ask;
  JobSlot job = 0;
};

struct Held {
  Ask ask;
  BlockSlot slot;
};

class Backfill final : public Scheduler {
 public:
  // A depth of 0: no job passes another.
  Backfill(const QueueRules& rules, std::uint32_t depth)
      : depth_(depth), room_(rules.room, rules.reservations) {
    for (const Reservation& taken : rules.reservations) reservation_ends_.push_back(taken.end);
    std::ranges::sort(reservation_ends_);
  }

  std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Backfill>(*this); }

  void submit(JobSlot job, const Ask& ask) override {
    queue_.push_back({ask, job});
    has_changed_ = true;
  }

  void end(JobSlot job, Time now) override {
    room_.give_back(running_[job].ask, running_[job].slot, now);
    has_changed_ = true;
    outlook_.reset();
  }

  void withdraw(JobSlot job, Time) override {
    const auto erased = std::erase_if(queue_, [job](const WaitingJob& w) { return w.job == job; });
    assert(erased == 1);
    has_changed_ = erased == 1;
    outlook_.reset();
  }

  std::span<const JobSlot> pass(Time now) override {
    started_.clear();
    if (!has_changed_ && now < next_start_) return started_;
    room_.advance(now);
    has_changed_ = false;
    outlook_.reset();
    next_start_ = kForever;
    promises_.clear();
    decide(now);
    for (const Held& promise : promises_) {
      room_.give_back(promise.ask, promise.slot, now);
    }
    if (!queue_.empty()) {
      const auto end = std::ranges::upper_bound(reservation_ends_, now);
      if (end != reservation_ends_.end()) next_start_ = std::min(next_start_, *end);
    }
    return started_;
  }

  Time next_start() const override { return next_start_; }

  const Outlook& outlook(Time now) override {
    if (!outlook_) {
      std::vector<Ask> asks;
      asks.reserve(queue_.size());
      for (const WaitingJob& waiting : queue_) asks.push_back(waiting.ask);
      outlook_ = plan_queue(room_, asks, now, depth_ == 0);
    }
    return *outlook_;
  }

  std::optional<Time> promised(JobSlot) const override { return std::nullopt; }

  std::size_t waiting() const override { return queue_.size(); }

 private:
  void decide(Time now) {
    free_ = room_.free_at(now);
    std::size_t kept = 0;
    std::size_t next = 0;
    for (; next < queue_.size(); ++next) {
      const WaitingJob& waiting = queue_[next];
      if (waiting.ask.nodes <= free_ && starts(waiting, now)) continue;
      if (promises_.size() < std::max<std::size_t>(depth_, 1)) promise(waiting, now);
      if (kept != next) queue_[kept] = waiting;
      ++kept;
      if (depth_ == 0) break;  // no job passes
    }
    if (next < queue_.size()) {
      const auto rest = queue_.begin() + static_cast<std::ptrdiff_t>(next) + 1;
      const auto end =
          std::move(rest, queue_.end(), queue_.begin() + static_cast<std::ptrdiff_t>(kept));
      kept = static_cast<std::size_t>(end - queue_.begin());
    }
    queue_.resize(kept);
  }

  bool starts(const WaitingJob& waiting, Time now) {
    const auto slot = room_.at(waiting.ask, now);
    if (slot) start(waiting, *slot);
    return slot.has_value();
  }

  void promise(const WaitingJob& waiting, Time now) {
    const BlockSlot slot = room_.earliest(waiting.ask, now);
    next_start_ = std::min(next_start_, slot.start);
    room_.take(waiting.ask, slot);
    promises_.push_back({waiting.ask, slot});
  }

  void start(const WaitingJob& waiting, const BlockSlot& slot) {
    room_.take(waiting.ask, slot);
    free_ -= waiting.ask.nodes;
    running_.start(waiting.job, {waiting.ask, slot});
    started_.push_back(waiting.job);
  }

  std::uint32_t depth_;
  Room room_;                      // running jobs; promises only during a decision
  std::vector<WaitingJob> queue_;  // by arrival
  RunningJobs<Held> running_;
  std::vector<Held> promises_;
  std::vector<Time> reservation_ends_;
  std::optional<Outlook> outlook_;
  bool has_changed_ = false;
  Count free_ = 0;  // nodes at this moment, during a decision
  Time next_start_ = kForever;
  std::vector<JobSlot> started_;
};

}  // namespace

std::unique_ptr<Scheduler> make_easy(const QueueRules& rules) {
  return std::make_unique<Backfill>(rules, std::max<std::uint32_t>(rules.depth, 1));
}

std::unique_ptr<Scheduler> make_fcfs(const QueueRules& rules) {
  return std::make_unique<Backfill>(rules, 0);
}

}  // namespace dovetail::queue
