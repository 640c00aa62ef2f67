// The timeline against a list of bookings and the calendar that they make.
#include <gtest/gtest.h>

#include <vector>

#include "queue/policies/timeline.hpp"
#include "support/random_queue.hpp"

namespace dovetail {
namespace {

using testing::Dice;

struct Booked {
  queue::Ask ask;
  queue::Timeline::LinePlace place;
};

class Twins {
 public:
  explicit Twins(unsigned seed) : dice_(seed), nodes_(dice_(1, 12)), plan_(nodes_) {}

  void step() {
    switch (dice_(0, 5)) {
      case 0:
        return advance();
      case 1:
        return release();
      case 2:
        return slide();
      case 3:
        return jump();
      default:
        return take();
    }
  }

  void compare() const { ASSERT_EQ(plan_.calendar(), calendar(nullptr)); }

 private:
  Calendar calendar(const Booked* without) const {
    Calendar calendar(nodes_, now_);
    for (const Booked& job : booked_) {
      if (&job == without) continue;
      calendar.reserve({std::max(now_, job.place.start), job.place.start + job.ask.length},
                       job.ask.nodes);
    }
    return calendar;
  }

  void take() {
    const queue::Ask ask{.nodes = dice_(1, nodes_), .length = dice_(1, 30)};
    const Time ready = now_ + (dice_(0, 2) == 0 ? dice_(0, 40) : 0);
    const Time limit = dice_(0, 1) == 0 ? kForever : ready + dice_(0, 60);
    const auto start =
        plan_.earliest(ask, plan_.locate(ready, queue::Timeline::kPresent), ready, limit);
    const auto expected = calendar(nullptr).earliest_fit(ask.nodes, ask.length, ready, limit);
    ASSERT_EQ(start.has_value(), expected.has_value());
    if (!start) return;
    ASSERT_EQ(start->time, *expected);
    ASSERT_EQ(plan_.locate(start->time, queue::Timeline::kPresent), start->at);
    booked_.push_back({ask, plan_.take(ask, *start)});
  }

  // A job that waits; null when none was drawn.
  Booked* any() {
    if (booked_.empty()) return nullptr;
    Booked& job = booked_[static_cast<std::size_t>(dice_(0, static_cast<int>(booked_.size()) - 1))];
    return job.place.start > now_ ? &job : nullptr;
  }

  void slide() {
    Booked* job = any();
    if (job == nullptr) return;
    const Calendar others = calendar(job);
    const Time old = job->place.start;
    Time left = old;
    while (left > now_ && others.free_at(left - 1) >= job->ask.nodes) --left;
    ASSERT_EQ(plan_.can_slide(job->place, job->ask.nodes), left < old);
    ASSERT_EQ(plan_.leftmost(job->place, job->ask.nodes).time, left);
    const queue::Timeline::Rise rise = plan_.slide(job->place, job->ask);
    ASSERT_EQ(job->place.start, left);
    if (left == old) return;
    expect_rise(rise, {std::max(left + job->ask.length, old), old + job->ask.length});
  }

  void jump() {
    Booked* job = any();
    if (job == nullptr) return;
    const Interval old{job->place.start, job->place.start + job->ask.length};
    const auto start =
        plan_.earliest(job->ask, plan_.locate(now_, queue::Timeline::kPresent), now_, old.begin);
    if (!start) return;
    expect_rise(plan_.jump(job->place, job->ask, *start), old);
  }

  void release() {
    if (booked_.empty()) return;
    const auto gone = booked_.begin() + dice_(0, static_cast<int>(booked_.size()) - 1);
    const Time end = gone->place.start + gone->ask.length;
    if (gone->place.start > now_) {
      expect_rise(plan_.release(gone->ask, gone->place), {gone->place.start, end});
    } else {
      expect_rise(plan_.release_rest(gone->ask, gone->place), {now_, end});
    }
    booked_.erase(gone);
  }

  // As a queue does: all that is due starts.
  void advance() {
    now_ += dice_(0, 12);
    plan_.advance(now_);
    plan_.forget_due();
    std::erase_if(booked_,
                  [&](const Booked& job) { return job.place.start + job.ask.length <= now_; });
  }

  void expect_rise(const queue::Timeline::Rise& rise, const Interval& window) const {
    ASSERT_EQ(rise.window.begin, window.begin);
    ASSERT_EQ(rise.window.end, window.end);
    ASSERT_EQ(rise.at, plan_.locate(window.begin, queue::Timeline::kPresent));
  }

  Dice dice_;
  Count nodes_;
  queue::Timeline plan_;
  Time now_ = 0;
  std::vector<Booked> booked_;
};

TEST(TimelineOracle, IsTheCalendarOfItsJobs) {
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Twins twins(seed);
    for (int i = 0; i < 120; ++i) {
      twins.step();
      twins.compare();
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace dovetail
