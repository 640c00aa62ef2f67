#include <gtest/gtest.h>

#include <random>

#include "queue/sim/machine_history.hpp"

namespace dovetail {
namespace {

using draw::MachineMoment;

TEST(History, AveragesOverEachStep) {
  queue::History history(4);
  history.state(0, 0, 8);
  history.state(500, 2, 4);
  history.state(2000, 0, 1);
  history.state(3500, 0, 0);
  EXPECT_EQ(history.step(), kSecond);
  EXPECT_EQ(history.moments(),
            (std::vector<MachineMoment>{{0, 1, 6}, {1000, 2, 4}, {2000, 0, 1}, {3000, 0, 1}}));
  EXPECT_EQ(history.window(), (Interval{0, 3500}));
}

TEST(History, TwoStepsBecomeOneWhenTimeOutgrowsThem) {
  queue::History history(4);
  history.state(10'000, 0, 8);
  history.state(12'000, 6, 2);
  history.state(15'000, 0, 0);
  EXPECT_EQ(history.step(), 2 * kSecond);
  EXPECT_EQ(history.moments(),
            (std::vector<MachineMoment>{{10'000, 0, 8}, {12'000, 6, 2}, {14'000, 6, 2}}));
}

TEST(History, LongSilenceNeedsNoMoreSteps) {
  queue::History history(8);
  history.state(0, 1, 1);
  history.state(kSecond, 0, 0);
  history.state(1'000'000 * kSecond, 0, 3);
  history.state(1'000'001 * kSecond, 0, 0);
  const auto moments = history.moments();
  ASSERT_LE(moments.size(), 8U);
  EXPECT_GE(moments.size(), 4U);
  EXPECT_DOUBLE_EQ(moments.front().busy * to_seconds(history.step()), 1);
}

TEST(History, LosesNothingHoweverOftenItWidens) {
  std::mt19937_64 random(11);
  queue::History history(16);
  double busy_seconds = 0;
  Time now = 0;
  Count busy = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto length = static_cast<Duration>(random() % 90'000);
    history.state(now, 0, busy = static_cast<Count>(random() % 100));
    busy_seconds += to_seconds(length) * busy;
    now += length;
  }
  history.state(now, 0, 0);
  double told = 0;
  for (const MachineMoment& moment : history.moments()) {
    told += moment.busy * to_seconds(std::min(history.step(), now - moment.begin));
  }
  EXPECT_NEAR(told, busy_seconds, 1e-6 * busy_seconds);
}

}  // namespace
}  // namespace dovetail
