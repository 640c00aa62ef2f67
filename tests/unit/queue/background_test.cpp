#include "queue/sim/background.hpp"

#include <gtest/gtest.h>

namespace dovetail::queue {
namespace {

constexpr Duration kHour = 3'600 * kSecond;

TEST(RecentUse, NothingIsKnownBeforeTimeHasPassed) {
  RecentUse use;
  EXPECT_FALSE(use.mean(0));
  use.set(5 * kSecond, 7);
  EXPECT_FALSE(use.mean(5 * kSecond));
  EXPECT_DOUBLE_EQ(use.mean(6 * kSecond).value(), 7);
}

TEST(RecentUse, MeansOverWhatIsKnown) {
  RecentUse use;
  use.set(0, 10);
  use.set(kHour, 20);
  EXPECT_DOUBLE_EQ(use.mean(kHour).value(), 10);
  EXPECT_DOUBLE_EQ(use.mean(2 * kHour).value(), 15);
  EXPECT_DOUBLE_EQ(use.mean(2 * kHour + kHour / 2).value(), 16);
}

TEST(RecentUse, ForgetsWhatIsOlderThanADay) {
  RecentUse use;
  use.set(0, 100);
  use.set(10 * kHour, 4);
  EXPECT_DOUBLE_EQ(use.mean(24 * kHour).value(), (10 * 100 + 14 * 4) / 24.0);
  EXPECT_DOUBLE_EQ(use.mean(30 * kHour).value(), (4 * 100 + 20 * 4) / 24.0);
  EXPECT_DOUBLE_EQ(use.mean(34 * kHour).value(), 4);
  EXPECT_DOUBLE_EQ(use.mean(1000 * kHour + 77).value(), 4);
  use.set(1000 * kHour + 77, 8);
  EXPECT_DOUBLE_EQ(use.mean(1000 * kHour + 77).value(), 4);
  EXPECT_DOUBLE_EQ(use.mean(2000 * kHour).value(), 8);
}

TEST(Background, CountsTheUseOfItsOwnJobsOnly) {
  auto jobs = std::make_shared<std::vector<Job>>();
  jobs->push_back({.run = kHour, .ask = {.nodes = 3, .length = kHour}});
  Background background({.room = {.nodes = 8}}, jobs);
  background.run_through(0);
  background.machine().submit_open_ended({.nodes = 5, .length = kHour});
  background.pass();
  EXPECT_EQ(background.machine().busy(), 8);
  EXPECT_EQ(background.machine().busy_open_ended(), 5);
  EXPECT_DOUBLE_EQ(background.recent_use().mean(kHour / 2).value(), 3);
}

}  // namespace
}  // namespace dovetail::queue
