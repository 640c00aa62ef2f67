// Estimates against reality.
#include "run/monitor.hpp"

#include <gtest/gtest.h>

namespace dovetail::run {
namespace {

// blur_1, blur_2 and blur_3 take 10 s on one processor, solve 10 s on any number.
Problem problem() {
  WorkflowBuilder builder("w");
  for (const char* id : {"blur_1", "blur_2", "blur_3"}) {
    builder.add_task({.id = id, .time = TimeSpec::amdahl(10, 0)});
  }
  builder.add_task({.id = "solve", .time = TimeSpec::fixed(10)});
  return Problem({std::move(builder).build()}, Platform::empty(4));
}

TEST(Monitor, WhatTakesAboutAsLongAsPlannedIsNoNews) {
  const Problem example = problem();
  Monitor monitor(example, 0.2);
  monitor.started(3, 0, 1, 10'000);
  EXPECT_FALSE(monitor.ended(3, 11'900));
  monitor.started(3, 0, 1, 10'000);
  EXPECT_EQ(monitor.ended(3, 16'000), "solve took 1.60 times its estimate");
  monitor.started(3, 0, 1, 10'000);
  EXPECT_EQ(monitor.ended(3, 5'000), "solve took 0.50 times its estimate");
}

TEST(Monitor, DifferencesOfAMomentAreNoNews) {
  const Problem example = problem();
  Monitor monitor(example, 0.2);
  monitor.started(3, 0, 1, 10);
  EXPECT_FALSE(monitor.ended(3, 90));
}

TEST(Monitor, ATaskThatIsLateIsThoughtToTakeTwiceAsLong) {
  const Problem example = problem();
  Monitor monitor(example, 0.2);
  monitor.started(3, 1000, 1, 10'000);
  EXPECT_TRUE(monitor.late(13'000).empty());
  EXPECT_EQ(monitor.next_check(), 13'100);
  const auto late = monitor.late(13'100);
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].task, 3U);
  EXPECT_EQ(late[0].end, 21'000);
  EXPECT_EQ(late[0].reason, "solve has run for 1.21 times its estimate");
  EXPECT_TRUE(monitor.late(13'200).empty());
  EXPECT_EQ(monitor.next_check(), 25'100);
  monitor.stopped(3);
  EXPECT_EQ(monitor.next_check(), kForever);
}

TEST(Monitor, WhatOneTaskTookIsExpectedOfItsKind) {
  const Problem example = problem();
  Monitor monitor(example, 0.2);
  EXPECT_EQ(monitor.factors(), (std::vector<double>{1, 1, 1, 1}));
  monitor.started(0, 0, 2, 5'000);
  monitor.ended(0, 15'000);
  EXPECT_EQ(monitor.factors(), (std::vector<double>{3, 3, 3, 1}));
  // The next one was planned with that in mind, and is compared with the file all the same.
  monitor.started(1, 0, 1, 30'000);
  EXPECT_FALSE(monitor.ended(1, 30'000));
  EXPECT_EQ(monitor.factors()[2], 3);
}

TEST(Monitor, OneTaskThatIsFarOffDoesNotMoveItsKind) {
  const Problem example = problem();
  Monitor monitor(example, 0.2);
  for (const Duration real : {10'000, 10'100, 500'000}) {
    monitor.started(0, 0, 1, 10'000);
    monitor.ended(0, real);
  }
  EXPECT_EQ(monitor.factors()[1], 1);
}

}  // namespace
}  // namespace dovetail::run
