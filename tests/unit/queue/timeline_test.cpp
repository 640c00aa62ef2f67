#include "queue/policies/timeline.hpp"

#include <gtest/gtest.h>

namespace dovetail::queue {
namespace {

using LinePlace = Timeline::LinePlace;

// 4 nodes: 3 until 10, then 2 from 10 to 16.
class TimelineTest : public ::testing::Test {
 protected:
  LinePlace take(const Ask& ask) {
    return plan_.take(ask, plan_.earliest(ask, Timeline::kPresent, 0).value());
  }

  Timeline plan_{4};
  Ask wide_{.nodes = 3, .length = 10};
  Ask narrow_{.nodes = 2, .length = 6};
  LinePlace first_ = take(wide_);
  LinePlace second_ = take(narrow_);
};

TEST_F(TimelineTest, TakesTheEarliestPlace) {
  EXPECT_EQ(first_.start, 0);
  EXPECT_EQ(second_.start, 10);
  EXPECT_EQ(plan_.earliest({.nodes = 1, .length = 99}, Timeline::kPresent, 0)->time, 0);
  EXPECT_EQ(plan_.earliest({.nodes = 3, .length = 1}, Timeline::kPresent, 0)->time, 16);
  EXPECT_FALSE(plan_.earliest({.nodes = 3, .length = 1}, Timeline::kPresent, 0, 16));
}

TEST_F(TimelineTest, IsACalendarOfTheMoment) {
  Calendar calendar(4);
  calendar.reserve({0, 10}, 3);
  calendar.reserve({10, 16}, 2);
  EXPECT_EQ(plan_.calendar(), calendar);
}

TEST_F(TimelineTest, AJobSlidesIntoWhatAnEarlyEndLeaves) {
  EXPECT_FALSE(plan_.can_slide(second_, 2));
  plan_.advance(4);
  const Timeline::Rise early = plan_.release_rest(wide_, first_);
  EXPECT_EQ(early.window.begin, 4);
  EXPECT_EQ(early.window.end, 10);
  ASSERT_TRUE(plan_.can_slide(second_, 2));
  const Timeline::Rise rise = plan_.slide(second_, narrow_);
  EXPECT_EQ(second_.start, 4);
  EXPECT_EQ(rise.window.begin, 10) << "what it held from 10 to 16";
  EXPECT_EQ(rise.window.end, 16);
  Calendar calendar(4, 4);
  calendar.reserve({4, 10}, 2);
  EXPECT_EQ(plan_.calendar(), calendar);
}

TEST_F(TimelineTest, AShortSlideFreesTheEndOnly) {
  const Ask blocker{.nodes = 4, .length = 20};
  LinePlace third = take(blocker);
  ASSERT_EQ(third.start, 16);
  plan_.release(narrow_, second_);
  const Timeline::Rise rise = plan_.slide(third, blocker);
  EXPECT_EQ(third.start, 10);
  EXPECT_EQ(rise.window.begin, 30);
  EXPECT_EQ(rise.window.end, 36);
}

TEST_F(TimelineTest, AJobJumpsOverOthers) {
  const Ask ask{.nodes = 2, .length = 3};
  LinePlace third = plan_.take(ask, {40, plan_.locate(40, Timeline::kPresent)});
  const auto start = plan_.earliest(ask, Timeline::kPresent, 0, 40);
  ASSERT_TRUE(start);
  const Timeline::Rise rise = plan_.jump(third, ask, *start);
  EXPECT_EQ(third.start, 10);
  EXPECT_EQ(rise.window.begin, 40);
  EXPECT_EQ(rise.window.end, 43);
}

TEST_F(TimelineTest, JobsThatAreDueKeepTheirPointsUntilTheyHaveStarted) {
  plan_.advance(10);
  EXPECT_EQ(plan_.time(second_.first), 10);
  plan_.release(narrow_, second_);
  EXPECT_EQ(plan_.calendar(), Calendar(4, 10));
}

TEST_F(TimelineTest, WhatHasStartedIsPartOfThePresent) {
  plan_.advance(10);
  plan_.forget_due();
  EXPECT_EQ(plan_.free(Timeline::kPresent), 2);
  EXPECT_EQ(plan_.after(Timeline::kPresent), second_.last);
}

TEST(Timeline, AReservationMayLastForEver) {
  const std::vector<Reservation> reservations{{5, kForever, 3}};
  const Timeline plan(4, reservations);
  EXPECT_FALSE(plan.earliest({.nodes = 2, .length = 6}, Timeline::kPresent, 0));
  EXPECT_EQ(plan.earliest({.nodes = 1, .length = 6}, Timeline::kPresent, 2)->time, 2);
}

}  // namespace
}  // namespace dovetail::queue
