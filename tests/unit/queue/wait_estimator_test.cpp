// The estimate of a wait from what a batch system tells about its queue.
#include "queue/strategies/wait_estimator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "dovetail/error.hpp"
#include "queue/sim/machine.hpp"

namespace dovetail::queue {
namespace {

Ask ask(Count nodes, int seconds) { return {.nodes = nodes, .length = seconds * kSecond}; }

TEST(QueueSnapshot, AnEmptyMachineMakesNobodyWait) {
  const QueueSnapshot queue({.nodes = 4}, {}, {}, 100 * kSecond);
  EXPECT_EQ(queue.wait(4, 1000 * kSecond), 0);
  EXPECT_EQ(queue.nodes(), 4);
}

TEST(QueueSnapshot, RunningJobsHoldTheirNodesToTheirLimit) {
  const std::vector<RunningJob> running = {{2, 50 * kSecond}, {1, 80 * kSecond}};
  const QueueSnapshot queue({.nodes = 4}, running, {}, 10 * kSecond);
  EXPECT_EQ(queue.wait(1, 1000 * kSecond), 0);
  EXPECT_EQ(queue.wait(2, 1000 * kSecond), 40 * kSecond);
  EXPECT_EQ(queue.wait(4, 1000 * kSecond), 70 * kSecond);
}

TEST(QueueSnapshot, WaitingJobsGoFirstAndHolesAreUsed) {
  const std::vector<RunningJob> running = {{2, 50 * kSecond}};
  const std::vector<Ask> waiting = {ask(4, 100)};
  const QueueSnapshot queue({.nodes = 4}, running, waiting, 10 * kSecond);
  EXPECT_EQ(queue.wait(2, 40 * kSecond), 0) << "fits before the job of four nodes";
  EXPECT_EQ(queue.wait(2, 41 * kSecond), 140 * kSecond) << "does not";
}

TEST(QueueSnapshot, InTurnNobodyPasses) {
  const std::vector<RunningJob> running = {{2, 50 * kSecond}};
  const std::vector<Ask> waiting = {ask(4, 100)};
  const QueueSnapshot queue({.nodes = 4}, running, waiting, 10 * kSecond, {.in_turn = true});
  EXPECT_EQ(queue.wait(2, kSecond), 140 * kSecond);
}

TEST(QueueSnapshot, ReservationsAreKept) {
  const std::vector<Reservation> reserved = {{0, 5 * kSecond, 4}, {30 * kSecond, 60 * kSecond, 3}};
  const QueueSnapshot queue({.nodes = 4}, {}, {}, 10 * kSecond, {.reservations = reserved});
  EXPECT_EQ(queue.wait(2, 20 * kSecond), 0);
  EXPECT_EQ(queue.wait(2, 21 * kSecond), 50 * kSecond);
  EXPECT_EQ(queue.wait(1, 100 * kSecond), 0);
}

TEST(QueueSnapshot, JobsThatAreOverHoldNothing) {
  const std::vector<RunningJob> running = {{4, 10 * kSecond}};
  EXPECT_EQ(QueueSnapshot({.nodes = 4}, running, {}, 10 * kSecond).wait(4, kSecond), 0);
}

TEST(QueueSnapshot, MoreRunningThanThereIsIsAnError) {
  const std::vector<RunningJob> running = {{3, 50 * kSecond}, {2, 80 * kSecond}};
  EXPECT_THROW(QueueSnapshot({.nodes = 4}, running, {}, 0), InputError);
}

// A simulated queue whose state can be told as a batch system tells it.
class ToldQueue {
 public:
  explicit ToldQueue(const QueueRules& rules) : machine_(rules), rules_(rules) {}

  void submit(Time now, const Job& job) {
    run_to(now - 1);
    open(now);
    jobs_.push_back(machine_.submit(job));
    alive_.push_back(job.id);
    machine_.pass();
  }

  // All instants up to this one.
  void run_to(Time now) {
    for (Time next = machine_.next(); next <= now; next = machine_.next()) {
      open(next);
      machine_.pass();
    }
  }

  Duration simulated_wait(const Ask& question) {
    return OutlookEstimator(machine_.outlook(), machine_.now())
        .wait(question.nodes, question.length);
  }

  QueueSnapshot snapshot() const {
    std::vector<RunningJob> running;
    std::vector<Ask> waiting;
    for (const JobSlot slot : jobs_) {
      const Ask& asked = machine_.job(slot).ask;
      if (machine_.is_running(slot)) {
        running.push_back({asked.nodes, machine_.start_of(slot) + asked.length});
      } else {
        waiting.push_back(asked);
      }
    }
    most_waiting_ = std::max(most_waiting_, waiting.size());
    return {rules_.room,
            running,
            waiting,
            machine_.now(),
            {.reservations = rules_.reservations, .in_turn = rules_.policy == "fcfs"}};
  }

  std::size_t most_waiting() const { return most_waiting_; }

 private:
  void open(Time now) {
    for (const JobRecord& ended : machine_.open(now)) {
      const auto at = std::ranges::find(alive_, ended.id) - alive_.begin();
      alive_.erase(alive_.begin() + at);
      jobs_.erase(jobs_.begin() + at);
    }
  }

  Machine machine_;
  QueueRules rules_;
  std::vector<JobSlot> jobs_;  // in the system, by arrival
  std::vector<std::int64_t> alive_;
  mutable std::size_t most_waiting_ = 0;
};

QueueRules random_rules(std::mt19937& random) {
  QueueRules rules{.room = {.nodes = static_cast<Count>(2 + random() % 9)}};
  // Policies whose plan is always that of the running jobs and then the waiting ones in order.
  const auto kind = random() % 3;
  rules.policy = kind == 0 ? "conservative" : kind == 1 ? "easy" : "fcfs";
  rules.compress = Compress::rebuild;
  Time start = 0;
  for (auto count = random() % 3; count-- > 0;) {
    start += static_cast<Time>(random() % 80) * kSecond;
    const Time end = start + static_cast<Time>(1 + random() % 50) * kSecond;
    rules.reservations.push_back(
        {start, end, static_cast<Count>(1 + random() % static_cast<unsigned>(rules.room.nodes))});
    start = end;
  }
  return rules;
}

TEST(QueueSnapshot, EstimatesWhatASimulatedQueueInTheSameStateDoes) {
  std::size_t most_waiting = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    const auto up_to = [&](Count most) {
      return static_cast<Count>(1 + random() % static_cast<unsigned>(most));
    };
    const QueueRules rules = random_rules(random);
    ToldQueue queue(rules);
    Time now = 0;
    for (int id = 0; id < 40; ++id) {
      now += up_to(12) * kSecond;
      const Duration request = up_to(60) * kSecond;
      const Duration run = std::min<Duration>(request, up_to(60) * kSecond);
      queue.submit(now, {.id = id,
                         .submit = now,
                         .run = run,
                         .ask = {.nodes = up_to(up_to(rules.room.nodes)), .length = request}});
      const QueueSnapshot snapshot = queue.snapshot();
      const Ask question = ask(up_to(rules.room.nodes), up_to(80));
      ASSERT_EQ(snapshot.wait(question.nodes, question.length), queue.simulated_wait(question))
          << "seed " << seed << " job " << id << " policy " << rules.policy;
    }
    most_waiting = std::max(most_waiting, queue.most_waiting());
  }
  EXPECT_GT(most_waiting, 5U) << "the queues must be busy enough to mean something";
}

}  // namespace
}  // namespace dovetail::queue
