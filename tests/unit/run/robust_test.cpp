// Medians and lines that single wild values do not move.
#include "run/history/robust.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/random_problem.hpp"

namespace dovetail::run {
namespace {

using testing::Dice;

TEST(Robust, AQuantileIsTheValueWithThatShareOfTheWeightBelow) {
  EXPECT_EQ(median({{3, 1}, {1, 1}, {2, 1}}), 2);
  EXPECT_EQ(median({{3, 1}, {1, 1}}), 2);
  EXPECT_EQ(median({{1, 1}, {2, 1}, {1000, 3}}), 1000);
  EXPECT_EQ(quantile({{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}}, 0.9), 5);
  EXPECT_EQ(quantile({{7, 0.5}}, 0.1), 7);
}

TEST(Robust, TheLineIsTheBestOfAllLines) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    std::vector<LinePoint> points;
    for (auto n = dice.between(1, 6); n > 0; --n) {
      points.push_back(
          {1.0 / static_cast<double>(dice.between(1, 8)), dice.real(0.1, 10), dice.real(0.1, 3)});
    }
    const auto miss = [&](const Line& line) {
      double sum = 0;
      for (const auto& p : points) sum += p.weight * std::abs(line.at(p.x) - p.y) / p.y;
      return sum;
    };
    const Line best = fit_line(points);
    EXPECT_GE(best.constant, 0);
    EXPECT_GE(best.slope, 0);
    for (int i = 0; i < 300; ++i) {
      const Line other{dice.real(0, 10), dice.real(0, 20)};
      EXPECT_LE(miss(best), miss(other) + 1e-9);
      const Line near{std::max(0.0, best.constant + dice.real(-0.1, 0.1)),
                      std::max(0.0, best.slope + dice.real(-0.1, 0.1))};
      EXPECT_LE(miss(best), miss(near) + 1e-9);
    }
  }
}

}  // namespace
}  // namespace dovetail::run
