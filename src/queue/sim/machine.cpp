#include "queue/sim/machine.hpp"

#include <algorithm>
#include <cassert>

namespace dovetail::queue {

Machine::Machine(const QueueRules& rules)
    : scheduler_(make_scheduler(rules)), nodes_(rules.room.nodes) {}

Machine::Machine(const Machine& other)
    : scheduler_(other.scheduler_->clone()),
      nodes_(other.nodes_),
      now_(other.now_),
      busy_(other.busy_),
      busy_open_ended_(other.busy_open_ended_),
      arrivals_(other.arrivals_),
      active_(other.active_),
      unused_(other.unused_),
      ends_(other.ends_),
      ended_(other.ended_) {}

Machine& Machine::operator=(const Machine& other) {
  if (this != &other) *this = Machine(other);
  return *this;
}

Time Machine::next() const {
  const Time start = scheduler_->next_start();
  return ends_.empty() ? start : std::min(start, ends_.top().time);
}

std::span<const JobRecord> Machine::open(Time now) {
  assert(now >= now_);
  now_ = now;
  ended_.clear();
  for (; !ends_.empty() && ends_.top().time <= now; ends_.pop()) {
    const JobSlot slot = ends_.top().job;
    const Active& active = active_[slot];
    ended_.push_back({active.job.id, active.arrival, active.job.submit, active.start, now,
                      active.job.ask, active.job.cut || active.job.run > active.job.ask.length});
    scheduler_->end(slot, now);
    remove(slot);
  }
  return ended_;
}

JobSlot Machine::submit(const Job& job) { return add({.job = job, .arrival = arrivals_}); }

JobSlot Machine::submit_open_ended(const Ask& ask) {
  return add({.job = {.submit = now_, .run = ask.length, .ask = ask},
              .arrival = arrivals_,
              .ends_itself = false});
}

JobSlot Machine::add(const Active& active) {
  assert(active.job.ask.nodes >= 1 && active.job.ask.nodes <= nodes_);
  ++arrivals_;
  JobSlot slot = 0;
  if (unused_.empty()) {
    slot = static_cast<JobSlot>(active_.size());
    active_.push_back(active);
  } else {
    slot = unused_.back();
    unused_.pop_back();
    active_[slot] = active;
  }
  scheduler_->submit(slot, active.job.ask);
  return slot;
}

void Machine::remove(JobSlot slot) {
  if (is_running(slot)) use(active_[slot], -active_[slot].job.ask.nodes);
  unused_.push_back(slot);
}

void Machine::use(const Active& active, Count nodes) {
  busy_ += nodes;
  if (!active.ends_itself) busy_open_ended_ += nodes;
}

void Machine::end(JobSlot slot) {
  if (is_running(slot)) {
    assert(!active_[slot].ends_itself);
    scheduler_->end(slot, now_);
  } else {
    scheduler_->withdraw(slot, now_);
  }
  remove(slot);
}

std::span<const JobSlot> Machine::pass() {
  const auto started = scheduler_->pass(now_);
  for (const JobSlot slot : started) {
    Active& active = active_[slot];
    active.start = now_;
    use(active, active.job.ask.nodes);
    if (active.ends_itself) {
      const Time end = now_ + std::min(active.job.run, active.job.ask.length);
      ends_.push({end, active.arrival, slot});
    }
  }
  return started;
}

}  // namespace dovetail::queue
