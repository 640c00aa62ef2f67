// What must hold in every batch queue, whatever the log: nobody gets nodes that are not there,
// promises are kept, estimates come true.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "queue/sim/background.hpp"
#include "queue/strategies/wait_estimator.hpp"
#include "support/library_queue.hpp"

namespace dovetail {
namespace {

using testing::Dice;
using testing::library_jobs;
using testing::library_rules;

struct Sample {
  queue::QueueRules rules;
  std::shared_ptr<const std::vector<queue::Job>> jobs;
};

Sample sample(Dice& dice) {
  const plain::Rules rules = testing::random_rules(dice);
  return {library_rules(rules), library_jobs(testing::random_log(dice, 60, rules.nodes))};
}

std::vector<queue::JobRecord> replayed(const Sample& sample) {
  queue::JobList list(sample.jobs);
  return queue::replay_all(list, sample.rules);
}

TEST(QueueInvariants, CapacityIsNeverExceeded) {
  for (unsigned seed = 1; seed <= 1500; ++seed) {
    Dice dice(seed);
    const Sample queue = sample(dice);
    std::map<Time, Count> changes;
    for (const queue::JobRecord& job : replayed(queue)) {
      ASSERT_GE(job.start, job.submit) << "seed " << seed;
      changes[job.start] += job.ask.nodes;
      changes[job.end] -= job.ask.nodes;
    }
    for (const Reservation& taken : queue.rules.reservations) {
      changes[taken.start] += taken.procs;
      changes[taken.end] -= taken.procs;
    }
    Count used = 0;
    for (const auto& [time, change] : changes) {
      used += change;
      ASSERT_LE(used, queue.rules.room.nodes) << "seed " << seed << " at " << time;
    }
  }
}

TEST(QueueInvariants, ConservativePromisesNeverMoveLater) {
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    Dice dice(seed);
    Sample queue = sample(dice);
    queue.rules.policy = "conservative";
    queue.rules.compress = queue::Compress::arrival;
    queue::Machine machine(queue.rules);
    queue::JobList list(queue.jobs);
    std::map<queue::JobSlot, Time> promises;
    for (;;) {
      const Time arrival = list.peek() == nullptr ? kForever : list.peek()->submit;
      const Time now = std::min(arrival, machine.next());
      if (now == kForever) break;
      machine.open(now);
      for (; list.peek() != nullptr && list.peek()->submit <= now; list.pop()) {
        promises[machine.submit(*list.peek())] = kForever;
      }
      for (const queue::JobSlot job : machine.pass()) {
        ASSERT_LE(now, promises.at(job)) << "seed " << seed;
        promises.erase(job);
      }
      for (auto& [job, promise] : promises) {
        const auto planned = machine.scheduler().promised(job);
        ASSERT_TRUE(planned) << "seed " << seed;
        ASSERT_LE(*planned, promise) << "seed " << seed << " at " << now;
        promise = *planned;
      }
    }
    ASSERT_TRUE(promises.empty()) << "seed " << seed;
  }
}

TEST(QueueInvariants, NobodyPassesInFirstComeFirstServed) {
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    Dice dice(seed);
    Sample queue = sample(dice);
    queue.rules.policy = "fcfs";
    const auto records = replayed(queue);
    ASSERT_TRUE(std::ranges::is_sorted(records, {}, &queue::JobRecord::start)) << "seed " << seed;
  }
}

struct Forecast {
  Time expected = 0;
  Time start = 0;
};

// Submits a job now: when it is estimated to start, and when it does.
Forecast submit_one(queue::Background& background, Dice& dice) {
  queue::Machine& machine = background.machine();
  const queue::Ask ask{.nodes = dice(1, machine.nodes()), .length = kSecond * dice(1, 80)};
  const queue::OutlookEstimator estimator(machine.outlook(), machine.now());
  const Time expected = machine.now() + estimator.wait(ask.nodes, ask.length);
  const queue::JobSlot job = machine.submit_open_ended(ask);
  background.pass();
  while (!machine.is_running(job)) {
    background.open(background.next());
    background.arrive();
    background.pass();
  }
  return {expected, machine.now()};
}

// With accurate requests and nobody else to come, a job starts exactly when it was estimated to.
TEST(QueueInvariants, EstimatesComeTrueWhenNothingElseHappens) {
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    Dice dice(seed);
    Sample queue = sample(dice);
    if (queue.rules.policy == "easy") queue.rules.policy = "conservative";  // EASY only guesses
    auto jobs = *queue.jobs;
    for (queue::Job& job : jobs) job.run = job.ask.length;
    const std::size_t seen = static_cast<std::size_t>(dice(1, 50));
    jobs.resize(seen);
    const Time now = jobs.back().submit;
    queue::Background background(queue.rules,
                                 std::make_shared<const std::vector<queue::Job>>(jobs));
    background.run_through(now);
    const auto [expected, start] = submit_one(background, dice);
    ASSERT_EQ(start, expected) << "seed " << seed << " " << queue.rules.policy;
  }
}

// Early ends only help.
TEST(QueueInvariants, ConservativeEstimatesAreUpperBounds) {
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    Dice dice(seed);
    Sample queue = sample(dice);
    queue.rules.policy = "conservative";
    queue.rules.compress = queue::Compress::arrival;
    const std::size_t seen = static_cast<std::size_t>(dice(1, 50));
    const Time now = (*queue.jobs)[seen].submit;
    queue::Background background(queue.rules, queue.jobs);
    background.run_through(now);
    const auto [expected, start] = submit_one(background, dice);
    ASSERT_LE(start, expected) << "seed " << seed;
  }
}

TEST(QueueInvariants, AForkGoesTheWayOfTheWhole) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    const Sample queue = sample(dice);
    const auto whole = replayed(queue);
    queue::Background background(queue.rules, queue.jobs);
    background.run_through((*queue.jobs)[30].submit);
    queue::Background fork = background;
    const auto finish = [](queue::Background& part) {
      std::map<std::int64_t, Time> starts;
      for (Time time = part.next(); time < kForever; time = part.next()) {
        part.open(time);
        part.arrive();
        for (const queue::JobSlot job : part.pass()) starts[part.machine().job(job).id] = time;
      }
      return starts;
    };
    const auto first = finish(fork);
    ASSERT_EQ(first, finish(background)) << "seed " << seed;
    for (const auto& [id, start] : first) {
      ASSERT_EQ(start, whole[static_cast<std::size_t>(id)].start) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace dovetail
