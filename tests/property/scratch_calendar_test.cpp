// The flat calendar of searches against the calendar itself.
#include "planners/search/scratch_calendar.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "planners/search/steady_math.hpp"
#include "support/random_problem.hpp"

namespace dovetail {
namespace {

TEST(ScratchCalendar, AnswersWhatACalendarAnswers) {
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    SCOPED_TRACE(seed);
    testing::Dice dice(seed);
    const Platform platform = testing::random_platform(dice, {.max_reservations = 20});
    Calendar calendar = platform.calendar(0);
    const Time now = platform.now();
    planning::ScratchCalendar line(calendar, now, 40);
    if (dice.chance(0.5)) {
      line.reserve({now, line.place_of(now)}, 5'000, 0);
      line.reset();
    }
    for (int i = 0; i < 40; ++i) {
      const auto procs = static_cast<Count>(dice.between(1, 16));
      const Duration length = dice.between(1, 100'000);
      const Time ready = now + dice.between(0, 400'000);
      const Time limit = dice.chance(0.3) ? kForever : ready + dice.between(0, 400'000);
      const auto early = line.earliest_fit(procs, length, line.place_of(ready), ready, limit);
      const auto expected = calendar.earliest_fit(procs, length, ready, limit);
      ASSERT_EQ(early.has_value(), expected.has_value());
      if (limit < kForever) {
        const auto late = line.latest_fit(procs, length, ready, limit);
        const auto latest = calendar.latest_fit(procs, length, ready, limit);
        ASSERT_EQ(late.has_value(), latest.has_value());
        if (late) {
          ASSERT_EQ(late->start, *latest);
        }
      }
      if (!early) continue;
      ASSERT_EQ(early->start, *expected);
      line.reserve(*early, length, procs);
      if (dice.chance(0.3)) {
        line.release({early->start, early->start + length}, procs);
      } else {
        calendar.reserve({early->start, early->start + length}, procs);
      }
    }
  }
}

TEST(SteadyMath, IsAsExactAsDecisionsNeed) {
  for (double x = -2; x <= 2; x += 0.01) EXPECT_NEAR(planning::steady_exp(x), std::exp(x), 1e-12);
  for (double x = 1e-9; x < 100; x *= 1.1) EXPECT_NEAR(planning::steady_log(x), std::log(x), 1e-11);
}

}  // namespace
}  // namespace dovetail
