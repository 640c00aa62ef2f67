#include "dovetail/calendar.hpp"

#include <iterator>
#include <limits>
#include <ranges>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "oracles/naive_calendar.hpp"

namespace dovetail {
namespace {

static_assert(std::forward_iterator<StepRange::Iterator>);
static_assert(std::ranges::forward_range<StepRange>);
static_assert(std::ranges::common_range<StepRange>);
static_assert(std::ranges::forward_range<BackStepRange>);
static_assert(std::ranges::common_range<BackStepRange>);

template <typename Range>
std::vector<Step> listed(const Range& range) {
  return {range.begin(), range.end()};
}

// Ten processors; 4 taken on [10, 20), 8 on [20, 30).
Calendar sample() {
  Calendar calendar(10);
  calendar.reserve({10, 20}, 4);
  calendar.reserve({20, 30}, 8);
  return calendar;
}

// A calendar of many steps: free processors alternate every ten ticks.
Calendar comb(int teeth) {
  Calendar calendar(10);
  for (Time i = 0; i < teeth; ++i) calendar.reserve({i * 20, i * 20 + 10}, 7);
  return calendar;
}

TEST(Calendar, NewOneIsFreeFromItsOriginForEver) {
  const Calendar calendar(8, 100);
  EXPECT_EQ(calendar.free_at(99), 0);
  EXPECT_EQ(calendar.free_at(100), 8);
  EXPECT_EQ(calendar.free_at(kForever), 8);
  EXPECT_EQ(calendar.free_at(std::numeric_limits<Time>::max()), 8);
  EXPECT_EQ(listed(calendar.steps()), (std::vector<Step>{{100, kForever, 8}}));
}

TEST(Calendar, StepsAreHalfOpen) {
  const Calendar calendar = sample();
  EXPECT_EQ(calendar.free_at(9), 10);
  EXPECT_EQ(calendar.free_at(10), 6);
  EXPECT_EQ(calendar.free_at(19), 6);
  EXPECT_EQ(calendar.free_at(20), 2);
  EXPECT_EQ(calendar.free_at(30), 10);
}

TEST(Calendar, MinFreeLooksAtTheWholeWindowAndNoFurther) {
  const Calendar calendar = sample();
  EXPECT_EQ(calendar.min_free({0, 20}), 6);
  EXPECT_EQ(calendar.min_free({0, 21}), 2);
  EXPECT_EQ(calendar.min_free({30, kForever}), 10);
  EXPECT_EQ(calendar.min_free({-1, 5}), 0);
  EXPECT_EQ(calendar.min_free({5, 5}), kMaxProcessors);
}

TEST(Calendar, FitsNothingAnywhere) {
  const Calendar calendar = sample();
  EXPECT_TRUE(calendar.fits({0, 20}, 6));
  EXPECT_FALSE(calendar.fits({0, 20}, 7));
  EXPECT_FALSE(calendar.fits({-1, 5}, 1));
  EXPECT_TRUE(calendar.fits({-1, 5}, 0));
  EXPECT_TRUE(calendar.fits({20, 20}, 11));
}

TEST(Calendar, EarliestFitMayStartBetweenSteps) {
  const Calendar calendar = sample();
  EXPECT_EQ(calendar.earliest_fit(6, 10, 7), 7);
  EXPECT_EQ(calendar.earliest_fit(6, 14, 7), 30);
  EXPECT_EQ(calendar.earliest_fit(2, 100, 25), 25);
}

TEST(Calendar, EarliestFitKeepsToOriginAndLimit) {
  const Calendar calendar = sample();
  EXPECT_EQ(calendar.earliest_fit(10, 5, -50), 0);
  EXPECT_EQ(calendar.earliest_fit(10, 11, 0, 41), 30);
  EXPECT_EQ(calendar.earliest_fit(10, 11, 0, 40), std::nullopt);
  EXPECT_EQ(calendar.earliest_fit(11, 1, 0), std::nullopt);
  EXPECT_EQ(calendar.earliest_fit(1, kForever, 1), std::nullopt);
  EXPECT_EQ(calendar.earliest_fit(1, std::numeric_limits<Duration>::max(), 0), std::nullopt);
}

TEST(Calendar, LatestFitEndsByTheDeadlineOrBeforeABlocker) {
  const Calendar calendar = sample();
  EXPECT_EQ(calendar.latest_fit(2, 10, 0, 28), 18);
  EXPECT_EQ(calendar.latest_fit(3, 10, 0, 28), 10);
  EXPECT_EQ(calendar.latest_fit(7, 10, 0, 28), 0);
  EXPECT_EQ(calendar.latest_fit(7, 10, 1, 28), std::nullopt);
  EXPECT_EQ(calendar.latest_fit(10, 10, 0, 45), 35);
  EXPECT_EQ(calendar.latest_fit(10, 10, 0, kForever), kForever - 10);
  EXPECT_EQ(calendar.latest_fit(1, 10, -100, 9), std::nullopt);
  EXPECT_EQ(calendar.latest_fit(1, std::numeric_limits<Duration>::max(), 0, 50), std::nullopt);
}

TEST(Calendar, RequestsForNothingNeedNothingFree) {
  const Calendar calendar = sample();
  EXPECT_EQ(calendar.earliest_fit(10, 0, 25), 25);
  EXPECT_EQ(calendar.earliest_fit(10, -3, 25), 25);
  EXPECT_EQ(calendar.earliest_fit(0, 10, 15), 15);
  EXPECT_EQ(calendar.earliest_fit(0, 10, -15), 0);
  EXPECT_EQ(calendar.earliest_fit(10, 0, 25, 24), std::nullopt);
  EXPECT_EQ(calendar.latest_fit(10, 0, 5, 25), 25);
  EXPECT_EQ(calendar.latest_fit(0, 10, 5, 25), 15);
}

TEST(Calendar, FitsAreFoundAcrossManyParts) {
  const Calendar calendar = comb(2'000);
  EXPECT_EQ(calendar.step_count(), 4'000U);
  EXPECT_EQ(calendar.earliest_fit(4, 10, 0), 10);
  EXPECT_EQ(calendar.earliest_fit(4, 11, 0), 39'990);
  EXPECT_EQ(calendar.earliest_fit(3, 1'000'000, 5), 5);
  EXPECT_EQ(calendar.latest_fit(4, 11, 0, 39'985), std::nullopt);
  EXPECT_EQ(calendar.latest_fit(4, 10, 0, 20'005), 19'990);
  EXPECT_EQ(calendar.latest_fit(3, 39'000, 0, 39'985), 985);
}

TEST(Calendar, MeanFreeWeighsByTime) {
  const Calendar calendar = sample();
  EXPECT_DOUBLE_EQ(calendar.mean_free({0, 30}), 6.0);
  EXPECT_DOUBLE_EQ(calendar.mean_free({15, 25}), 4.0);
  EXPECT_DOUBLE_EQ(calendar.mean_free({-10, 10}), 5.0);
}

TEST(Calendar, StepsAreClippedToTheWindow) {
  const Calendar calendar = sample();
  EXPECT_EQ(listed(calendar.steps({15, 25})), (std::vector<Step>{{15, 20, 6}, {20, 25, 2}}));
  EXPECT_EQ(listed(calendar.steps({20, 30})), (std::vector<Step>{{20, 30, 2}}));
  EXPECT_TRUE(calendar.steps({20, 20}).empty());
}

TEST(Calendar, StepsBeforeTheOriginAreEmptyOfProcessors) {
  Calendar calendar(10, 100);
  EXPECT_EQ(listed(calendar.steps({50, 110})), (std::vector<Step>{{50, 100, 0}, {100, 110, 10}}));
  EXPECT_EQ(listed(calendar.steps({50, 60})), (std::vector<Step>{{50, 60, 0}}));
  calendar.reserve({100, 105}, 10);
  EXPECT_EQ(listed(calendar.steps({50, 110})), (std::vector<Step>{{50, 105, 0}, {105, 110, 10}}));
}

TEST(Calendar, StepsBackwardsAreTheSameSteps) {
  const Calendar calendar = sample();
  EXPECT_EQ(listed(calendar.steps_back({15, 35})),
            (std::vector<Step>{{30, 35, 10}, {20, 30, 2}, {15, 20, 6}}));
  EXPECT_TRUE(calendar.steps_back({20, 20}).empty());
  Calendar later(10, 100);
  EXPECT_EQ(listed(later.steps_back({50, 110})), (std::vector<Step>{{100, 110, 10}, {50, 100, 0}}));
  EXPECT_EQ(listed(later.steps_back({50, 60})), (std::vector<Step>{{50, 60, 0}}));
  later.reserve({100, 105}, 10);
  EXPECT_EQ(listed(later.steps_back({50, 110})), (std::vector<Step>{{105, 110, 10}, {50, 105, 0}}));
}

TEST(Calendar, ReserveThenReleaseGivesBackAnEqualCalendar) {
  const Calendar before = comb(500);
  Calendar calendar = before;
  calendar.reserve({3, 7'777}, 3);
  EXPECT_FALSE(calendar == before);
  calendar.release({3, 100}, 3);
  calendar.release({100, 7'777}, 3);
  EXPECT_TRUE(calendar == before);
}

TEST(Calendar, ReserveMergesEqualNeighbours) {
  Calendar calendar(10);
  calendar.reserve({10, 20}, 4);
  calendar.reserve({20, 30}, 4);
  EXPECT_EQ(calendar.step_count(), 3U);
  EXPECT_EQ(calendar.earliest_fit(7, 5, 8), 30);
}

TEST(Calendar, ReserveWithoutEndAddsNoStepAtForever) {
  Calendar calendar(10);
  calendar.reserve({5, kForever}, 10);
  EXPECT_EQ(listed(calendar.steps()), (std::vector<Step>{{0, 5, 10}, {5, kForever, 0}}));
  EXPECT_EQ(calendar.earliest_fit(1, 6, 0), std::nullopt);
}

TEST(Calendar, CopiesDoNotSeeEachOthersChanges) {
  const Calendar base = comb(300);
  const Calendar reference = comb(300);
  Calendar copy = base;
  copy.reserve({0, 5'000}, 1);
  EXPECT_TRUE(base == reference);
  EXPECT_EQ(copy.free_at(0), 2);
  EXPECT_EQ(base.free_at(0), 3);
}

TEST(Calendar, EqualityDoesNotDependOnHowACalendarCameAbout) {
  std::vector<Booking> bookings;
  for (Time i = 0; i < 700; ++i) bookings.push_back({{i * 20, i * 20 + 10}, 7});
  Calendar bulk(10);
  ASSERT_TRUE(bulk.reserve_all(bookings));
  EXPECT_TRUE(bulk == comb(700));
  EXPECT_FALSE(bulk == comb(701));
  EXPECT_FALSE(Calendar(10) == Calendar(10, 1));
}

TEST(Calendar, ReserveAllChangesNothingWhenOneDoesNotFit) {
  Calendar calendar = sample();
  const Calendar before = calendar;
  EXPECT_FALSE(calendar.reserve_all(std::vector<Booking>{{{0, 5}, 1}, {{15, 25}, 3}}));
  EXPECT_FALSE(calendar.reserve_all(std::vector<Booking>{{{-5, 5}, 1}}));
  EXPECT_TRUE(calendar == before);
}

TEST(Calendar, ReserveAllMayUseEveryProcessor) {
  Calendar calendar = sample();
  EXPECT_TRUE(
      calendar.reserve_all(std::vector<Booking>{{{20, 30}, 1}, {{25, 30}, 1}, {{20, 25}, 1}}));
  EXPECT_EQ(calendar.min_free({20, 30}), 0);
  EXPECT_TRUE(calendar.reserve_all({}));
}

TEST(Calendar, SetCapacityReplacesWhatWasThere) {
  Calendar calendar = sample();
  calendar.set_capacity({15, 40}, 6);
  EXPECT_EQ(listed(calendar.steps()),
            (std::vector<Step>{{0, 10, 10}, {10, 40, 6}, {40, kForever, 10}}));
  calendar.set_capacity({-10, 10}, 0);
  EXPECT_EQ(calendar.free_at(-1), 0);
  EXPECT_EQ(calendar.earliest_fit(1, 1, 0), 10);
  calendar.set_capacity({20, kForever}, 0);
  EXPECT_EQ(calendar.earliest_fit(1, 11, 0), std::nullopt);
}

TEST(Calendar, ForgettingMovesTheOrigin) {
  Calendar calendar = comb(400);
  calendar.forget_before(5'005);
  EXPECT_EQ(calendar.free_at(5'004), 0);
  EXPECT_EQ(calendar.free_at(5'005), 3);
  EXPECT_EQ(calendar.earliest_fit(4, 10, 0), 5'010);
  calendar.forget_before(10);
  EXPECT_EQ(listed(calendar.steps()).front().begin, 5'005);
}

TEST(Calendar, ReleaseOfAForgottenBeginningTakesTheRest) {
  Calendar calendar(10);
  calendar.reserve({0, 100}, 4);
  calendar.forget_before(60);
  calendar.release({0, 100}, 4);
  EXPECT_TRUE(calendar == Calendar(10, 60));
}

}  // namespace
}  // namespace dovetail
