// Conservative backfilling by count, whose plan is a timeline, against the same policy on a room of
// calendars, which tries every waiting job: an idle cap on users makes the difference. Jobs are
// withdrawn, schedulers are forked, several decisions fall on one instant, queues are long.
#include <gtest/gtest.h>

#include <vector>

#include "queue/policies/scheduler.hpp"
#include "support/random_queue.hpp"

namespace dovetail {
namespace {

using testing::Dice;

class Twins {
 public:
  Twins(unsigned seed, int longest_queue) : dice_(seed), longest_queue_(longest_queue) {
    queue::QueueRules rules{.room = {.nodes = dice_(1, dice_(1, 130))}};
    rules.compress =
        std::vector{queue::Compress::arrival, queue::Compress::arrival, queue::Compress::rebuild,
                    queue::Compress::none}[static_cast<std::size_t>(dice_(0, 3))];
    Time start = 0;
    for (int i = dice_(0, 3); i-- > 0;) {
      start += dice_(0, 200);
      const Time end = start + dice_(1, 90);
      rules.reservations.push_back({start, end, dice_(1, rules.room.nodes)});
      start = end;
    }
    nodes_ = rules.room.nodes;
    ours_ = queue::make_scheduler(rules);
    rules.room.cap = 1;  // nobody has a user
    plain_ = queue::make_scheduler(rules);
  }

  void step() {
    now_ += dice_(0, 3) == 0 ? 0 : dice_(0, 9);
    now_ = std::min(now_, ours_->next_start());
    end_jobs();
    for (int i = dice_(0, 3); i-- > 0;) submit();
    if (dice_(0, 5) == 0) withdraw();
    pass();
    if (dice_(0, 30) == 0) {
      ours_ = ours_->clone();
      plain_ = plain_->clone();
    }
  }

 private:
  struct Active {
    queue::Ask ask;
    bool is_there = false;
    Time end = kForever;  // kForever: waits
  };

  void submit() {
    if (static_cast<int>(ours_->waiting()) >= longest_queue_) return;
    const queue::Ask ask{.nodes = dice_(1, dice_(1, nodes_)), .length = dice_(1, dice_(1, 400))};
    const auto job = static_cast<queue::JobSlot>(jobs_.size());
    jobs_.push_back({ask, true});
    ours_->submit(job, ask);
    plain_->submit(job, ask);
  }

  void end_jobs() {
    for (queue::JobSlot job = 0; job < jobs_.size(); ++job) {
      if (!jobs_[job].is_there || jobs_[job].end > now_) continue;
      ours_->end(job, now_);
      plain_->end(job, now_);
      jobs_[job].is_there = false;
    }
  }

  void withdraw() {
    if (jobs_.empty()) return;
    const auto job = static_cast<queue::JobSlot>(dice_(0, static_cast<int>(jobs_.size()) - 1));
    if (!jobs_[job].is_there || jobs_[job].end < kForever) return;
    ours_->withdraw(job, now_);
    plain_->withdraw(job, now_);
    jobs_[job].is_there = false;
  }

  void pass() {
    const auto ours = ours_->pass(now_);
    const auto plain = plain_->pass(now_);
    ASSERT_TRUE(std::ranges::equal(ours, plain)) << "other jobs start at " << now_;
    for (const queue::JobSlot job : ours) {
      const Duration length = jobs_[job].ask.length;
      jobs_[job].end = now_ + (dice_(0, 1) == 0 ? length : dice_(1, static_cast<int>(length)));
    }
    ASSERT_EQ(ours_->next_start(), plain_->next_start());
    for (queue::JobSlot job = 0; job < jobs_.size(); ++job) {
      ASSERT_EQ(ours_->promised(job), plain_->promised(job)) << "job " << job << " at " << now_;
    }
    const queue::Ask ask{.nodes = dice_(1, nodes_), .length = dice_(1, 400)};
    ASSERT_EQ(ours_->outlook(now_).earliest_start(ask, now_),
              plain_->outlook(now_).earliest_start(ask, now_));
  }

  Dice dice_;
  int longest_queue_;
  Count nodes_ = 1;
  std::unique_ptr<queue::Scheduler> ours_;
  std::unique_ptr<queue::Scheduler> plain_;
  Time now_ = 0;
  std::vector<Active> jobs_;
};

TEST(ConservativeOracle, TheTimelineGivesThePlansOfTheRoom) {
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Twins twins(seed, 15);
    for (int i = 0; i < 100; ++i) twins.step();
    if (HasFatalFailure()) return;
  }
}

TEST(ConservativeOracle, AlsoWhenHundredsWait) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Twins twins(seed, 300);
    for (int i = 0; i < 400; ++i) twins.step();
    if (HasFatalFailure()) return;
  }
}

// A job that takes the whole machine jumps into a gap, however large the machine.
TEST(ConservativeOracle, TheWidestJobJumps) {
  for (const Count nodes : {Count{64}, kMaxProcessors}) {
    const auto scheduler =
        queue::make_scheduler({.room = {.nodes = nodes}, .reservations = {{10, 20, nodes}}});
    scheduler->submit(0, {.nodes = nodes, .length = 10});
    scheduler->pass(0);
    scheduler->submit(1, {.nodes = 1, .length = 20});
    scheduler->submit(2, {.nodes = nodes, .length = 5});
    scheduler->pass(0);
    EXPECT_EQ(scheduler->promised(2), 40);
    scheduler->end(0, 4);
    const auto started = scheduler->pass(4);
    ASSERT_EQ(started.size(), 1U);
    EXPECT_EQ(started[0], 2U);
  }
}

}  // namespace
}  // namespace dovetail
