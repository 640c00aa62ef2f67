#include "queue/sim/replay_metrics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

namespace dovetail::queue {
namespace {

JobRecord record(Time submit, Time start, Time end, Count nodes) {
  return {.submit = submit * kSecond,
          .start = start * kSecond,
          .end = end * kSecond,
          .ask = {.nodes = nodes, .length = (end - start) * kSecond}};
}

TEST(BoundedSlowdown, ShortRunsCountAsTenSeconds) {
  EXPECT_DOUBLE_EQ(bounded_slowdown(record(0, 30, 50, 1)), 2.5);
  EXPECT_DOUBLE_EQ(bounded_slowdown(record(0, 30, 31, 1)), 3.1);
  EXPECT_DOUBLE_EQ(bounded_slowdown(record(0, 4, 5, 1)), 1) << "never below 1";
}

// On 4 nodes: a runs 0-50 on 2, b waits 50 and runs to 110 on 3, c arrives at 10 and runs to 90 on
// 1, d arrives at 50, waits to 90, runs 1 s.
TEST(ReplayMetrics, AgreeWithTheSumsByHand) {
  ReplayMetrics metrics(4);
  const std::vector<JobRecord> jobs = {record(0, 0, 50, 2), record(10, 10, 90, 1),
                                       record(50, 90, 91, 1), record(0, 50, 110, 3)};
  for (const JobRecord& job : jobs) metrics.ended({&job, 1});
  metrics.state(0, 1, 2);
  metrics.state(50 * kSecond, 2, 4);
  metrics.state(90 * kSecond, 0, 4);
  const ReplaySummary summary = metrics.summary();
  EXPECT_EQ(summary.jobs, 4U);
  EXPECT_DOUBLE_EQ(summary.mean_wait, (0 + 0 + 40 + 50) / 4.0);
  EXPECT_DOUBLE_EQ(summary.median_wait, (0 + 40) / 2.0);
  EXPECT_DOUBLE_EQ(summary.wait_95, 50);
  EXPECT_DOUBLE_EQ(summary.longest_wait, 50);
  EXPECT_DOUBLE_EQ(summary.mean_bounded_slowdown, (1 + 1 + 4.1 + 110.0 / 60) / 4);
  EXPECT_DOUBLE_EQ(summary.utilisation, (100 + 80 + 1 + 180) / (4 * 110.0));
  EXPECT_DOUBLE_EQ(summary.mean_queue_length, 90 / 110.0);
  EXPECT_EQ(summary.longest_queue, 2U);
  EXPECT_EQ(summary.makespan(), 110 * kSecond);
  EXPECT_EQ(summary.killed, 0U);
}

TEST(ReplayMetrics, CountFromTheFirstSubmissionAndKillsToo) {
  ReplayMetrics metrics(2);
  JobRecord job = record(100, 120, 140, 1);
  job.killed = true;
  metrics.ended({&job, 1});
  const ReplaySummary summary = metrics.summary();
  EXPECT_EQ(summary.makespan(), 40 * kSecond);
  EXPECT_DOUBLE_EQ(summary.utilisation, 0.25);
  EXPECT_EQ(summary.killed, 1U);
}

TEST(ReplayMetrics, NoJobsGiveZeros) {
  ReplayMetrics metrics(2);
  EXPECT_EQ(metrics.summary().jobs, 0U);
  EXPECT_EQ(metrics.summary().makespan(), 0);
}

TEST(ReplayMetrics, QueueLengthIsWhatTheStatesOfARealReplayAverageTo) {
  std::mt19937_64 random(4);
  auto jobs = std::make_shared<std::vector<Job>>();
  for (int i = 0; i < 300; ++i) {
    const Duration run = 1 + static_cast<Duration>(random() % 60);
    jobs->push_back({i,
                     i * 5 * kSecond,
                     run * kSecond,
                     {.nodes = 1 + static_cast<Count>(random() % 8), .length = run * kSecond}});
  }
  struct Area final : ReplaySink {
    void ended(std::span<const JobRecord>) override {}
    void state(Time now, std::size_t waiting, Count busy) override {
      waited += to_seconds(now - last) * static_cast<double>(waiting_since);
      busied += to_seconds(now - last) * busy_since;
      last = now;
      waiting_since = waiting;
      busy_since = busy;
    }
    double waited = 0, busied = 0;
    Time last = 0;
    std::size_t waiting_since = 0;
    Count busy_since = 0;
  };
  ReplayMetrics metrics(16);
  Area area;
  SinkGroup both;
  both.add(metrics);
  both.add(area);
  JobList list(jobs);
  replay(list, {.room = {.nodes = 16}}, both);
  const ReplaySummary summary = metrics.summary();
  const double span = to_seconds(summary.makespan());
  EXPECT_GT(summary.longest_queue, 1U);
  EXPECT_NEAR(summary.mean_queue_length, area.waited / span, 1e-9);
  EXPECT_NEAR(summary.utilisation, area.busied / span / 16, 1e-12);
}

TEST(Tally, QuantilesAreThoseOfTheSortedValues) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    std::mt19937_64 random(seed);
    Tally tally;
    std::vector<Duration> values;
    const std::size_t count = 50'000 + random() % 2;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(static_cast<Duration>(random() % 40'000));
      tally.add(values.back());
    }
    std::ranges::sort(values);
    EXPECT_EQ(tally.count(), count);
    for (const double share : {1e-9, 0.1, 0.5, 0.95, 0.999, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(count)));
      EXPECT_EQ(tally.quantile(share), values[rank - 1]) << "seed " << seed << " share " << share;
    }
    EXPECT_EQ(tally.largest(), values.back());
    const double middle = static_cast<double>(values[(count - 1) / 2] + values[count / 2]) / 2;
    EXPECT_DOUBLE_EQ(tally.median(), middle) << "seed " << seed;
  }
}

TEST(Tally, EmptyAnswersZero) {
  Tally tally;
  EXPECT_EQ(tally.quantile(0.95), 0);
  EXPECT_EQ(tally.median(), 0);
}

}  // namespace
}  // namespace dovetail::queue
