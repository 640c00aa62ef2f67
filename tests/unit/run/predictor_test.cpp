// Predictions from measured times: right on known laws, unmoved by outliers, honest about guesses.
#include "run/history/predictor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "support/measured_tasks.hpp"

namespace dovetail::run {
namespace {

using testing::Dice;
using testing::Law;
using testing::measure;
using testing::measured;
using testing::relative;

TEST(Predictor, FindsTheLawBehindExactTimes) {
  Dice dice(1);
  const Law law{.seconds = 3600, .alpha = 0.05};
  const auto fit = fit_amdahl(measure(law, {1, 4, 16}, 6, 0, dice));
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->seconds, 3600, 1e-6);
  EXPECT_NEAR(fit->alpha, 0.05, 1e-9);
  EXPECT_EQ(fit->basis, AlphaBasis::fitted);
}

TEST(Predictor, KnowsNothingWithoutUsableMeasurements) {
  EXPECT_FALSE(predict({}, true, {}));
  const double nan = std::nan("");
  const std::vector<Measurement> useless = {measured(1, 0, 5, 5), measured(2, 1, 0, 0),
                                            measured(3, 1, -1, 0), measured(4, 1, nan, 1)};
  EXPECT_FALSE(predict(useless, true, {}));
  EXPECT_FALSE(fit_amdahl(useless));
  EXPECT_FALSE(fit_range(useless));
}

// Laws, numbers of processors, noise and outliers by chance: the times on the measured numbers
// within 10 %, whatever happens to alpha.
TEST(Predictor, TimesOnMeasuredProcessorsAreRightDespiteNoiseAndOutliers) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const Law law{.seconds = std::exp(dice.real(0, 9)), .alpha = dice.real(0, 1)};
    std::set<Count> counts;
    for (auto n = dice.between(1, 4); n > 0; --n) {
      counts.insert(static_cast<Count>(dice.between(1, 32)));
    }
    const std::vector<Count> processors(counts.begin(), counts.end());
    const int runs = static_cast<int>(10 * processors.size());
    auto all = measure(law, processors, runs, 0.05, dice);
    // One in ten is ten times as slow.
    for (std::size_t i = 0; i < all.size(); i += 10) {
      all[i + static_cast<std::size_t>(dice.between(0, 9))].seconds *= 10;
    }
    const auto prediction = predict(all, true, {1, 32});
    ASSERT_TRUE(prediction);
    EXPECT_EQ(prediction->measurements, all.size());
    const AmdahlFit fit{prediction->time.seconds, prediction->time.alpha};
    EXPECT_GE(fit.alpha, 0);
    EXPECT_LE(fit.alpha, 1);
    for (const Count p : processors) EXPECT_LT(relative(fit.at(p), law.at(p)), 0.1) << p;
  }
}

TEST(Predictor, TheLawIsFoundWhereTheProcessorsDiffer) {
  int seeds = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const Law law{.seconds = std::exp(dice.real(0, 9)), .alpha = dice.real(0, 0.5)};
    const auto all = measure(law, {1, 2, 8}, 30, 0.05, dice);
    const auto fit = fit_amdahl(all);
    ASSERT_TRUE(fit);
    EXPECT_LT(relative(fit->seconds, law.seconds), 0.05);
    EXPECT_NEAR(fit->alpha, law.alpha, 0.05);
    const auto range = fit_range(all);
    ASSERT_TRUE(range);
    EXPECT_LE(range->seconds.low, fit->seconds * 1.01);
    EXPECT_GE(range->seconds.high, fit->seconds * 0.99);
    const bool is_within = range->seconds.low <= law.seconds && law.seconds <= range->seconds.high;
    seeds += is_within ? 1 : 0;
  }
  EXPECT_GT(seeds, 180) << "the range holds the truth too seldom";
}

TEST(Predictor, OneSlowAttemptOfTenMovesTheTimeByAFewPerCent) {
  Dice dice(3);
  const auto calm = measure({.seconds = 50, .alpha = 0.2}, {4}, 10, 0.03, dice);
  const double expected = predict(calm, false, {4, 4})->time.seconds;
  for (std::size_t i = 0; i < calm.size(); ++i) {
    auto all = calm;
    all[i].seconds *= 10;
    EXPECT_LT(relative(predict(all, false, {4, 4})->time.seconds, expected), 0.04) << i;
  }
}

TEST(Predictor, WithOneNumberOfProcessorsTheCpuTimeTellsAlpha) {
  for (const double alpha : {0.0, 0.05, 0.3, 1.0}) {
    Dice dice(1);
    const Law law{.seconds = 80, .alpha = alpha};
    const auto prediction = predict(measure(law, {4}, 3, 0, dice), true, {1, 8});
    ASSERT_TRUE(prediction);
    EXPECT_EQ(prediction->alpha, AlphaBasis::cpu_time);
    EXPECT_NEAR(prediction->time.seconds, 80, 1e-6);
    EXPECT_NEAR(prediction->time.alpha, alpha, 1e-9);
  }
}

TEST(Predictor, ATaskThatWaitsTellsNothingAboutAlpha) {
  const std::vector<Measurement> waits = {measured(1, 4, 10, 0.02)};
  const auto prediction = predict(waits, true, {1, 8});
  ASSERT_TRUE(prediction);
  EXPECT_EQ(prediction->alpha, AlphaBasis::assumed);
  EXPECT_NEAR(prediction->time.alpha, kAssumedAlpha, 1e-9);
  EXPECT_NEAR((AmdahlFit{prediction->time.seconds, prediction->time.alpha}.at(4)), 10, 1e-9);
}

TEST(Predictor, OneProcessorTellsNothingAboutAlpha) {
  const std::vector<Measurement> one = {measured(1, 1, 10, 10)};
  const auto prediction = predict(one, true, {1, 8});
  ASSERT_TRUE(prediction);
  EXPECT_EQ(prediction->alpha, AlphaBasis::assumed);
  EXPECT_NEAR(prediction->time.seconds, 10, 1e-9);
  EXPECT_EQ(prediction->basis, "measured once on 1 processor");
}

TEST(Predictor, CloseNumbersOfProcessorsDoNotBlowUpTheNoise) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const Law law{.seconds = 100, .alpha = 0.2};
    const auto fit = fit_amdahl(measure(law, {7, 8}, 20, 0.05, dice));
    EXPECT_LT(relative(fit->seconds, 100), 0.1);
  }
}

// The long ones on many processors, the short ones on few: together they look as if it did not
// help.
TEST(Predictor, AlphaIsFoundAlthoughTheTasksOfAKindDiffer) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const double alpha = dice.real(0, 0.5);
    std::vector<Measurement> all;
    for (int run = 6; run > 0; --run) {
      for (int task = 1; task <= 9; ++task) {
        const Law law{.seconds = 10.0 * task, .alpha = alpha};
        const Count p = (task > 5 ? 4 : 1) * (run % 2 == 0 ? 2 : 1);
        const double seconds = law.at(p) * dice.real(0.97, 1.03);
        all.push_back(measured(run, p, seconds, law.seconds, "k_" + std::to_string(task)));
      }
    }
    const auto fit = fit_amdahl(all);
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->alpha, alpha, 0.1);
    EXPECT_LT(relative(fit->seconds, 50), 0.2) << "the one in the middle";
  }
}

TEST(Predictor, AlphaBetweenDifferentTasksIsDoubtful) {
  const std::vector<Measurement> all = {measured(2, 1, 10, 0, "k_1"), measured(2, 2, 9, 0, "k_2"),
                                        measured(1, 1, 10, 0, "k_1"), measured(1, 2, 9, 0, "k_2")};
  const auto fit = fit_amdahl(all);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->basis, AlphaBasis::between_tasks);
  EXPECT_NEAR(fit->at(1), 10, 1e-9);
  EXPECT_NEAR(fit->at(2), 9, 1e-9);
}

TEST(Predictor, AFixedTaskGetsTheMedianOnItsProcessors) {
  const std::vector<Measurement> all = {measured(4, 2, 12, 0), measured(3, 2, 10, 0),
                                        measured(2, 2, 11, 0), measured(1, 1, 500, 0)};
  const auto prediction = predict(all, false, {2, 2});
  ASSERT_TRUE(prediction);
  EXPECT_EQ(prediction->time.kind, TimeKind::fixed);
  EXPECT_EQ(prediction->time.processors.min, 2);
  EXPECT_NEAR(prediction->time.seconds, 11, 1e-9);
  EXPECT_EQ(prediction->measurements, 3U);
  EXPECT_EQ(prediction->basis, "measured 3 times on 2 processors");
}

TEST(Predictor, AFixedTaskOnProcessorsNeverSeenFollowsTheLaw) {
  Dice dice(1);
  const Law law{.seconds = 100, .alpha = 0.1};
  const auto prediction = predict(measure(law, {1, 2}, 4, 0, dice), false, {4, 4});
  ASSERT_TRUE(prediction);
  EXPECT_NEAR(prediction->time.seconds, law.at(4), 1e-6);
  EXPECT_EQ(prediction->basis, "measured 4 times on 1 and 2 processors");
}

TEST(Predictor, FollowsAProgramThatChanged) {
  std::vector<Measurement> all;
  for (int run = 14; run > 10; --run) all.push_back(measured(run, 1, 5, 5));
  for (int run = 10; run > 0; --run) all.push_back(measured(run, 1, 50, 50));
  EXPECT_NEAR(predict(all, false, {1, 1})->time.seconds, 5, 1e-9);
}

TEST(Predictor, FewMeasurementsPromiseLittle) {
  std::vector<Measurement> all;
  double last = 10;
  for (int run = 1; run <= 10; ++run) {
    all.insert(all.begin(), measured(run, 1, 10, 10));
    const auto prediction = predict(all, false, {1, 1});
    EXPECT_LT(prediction->high_factor, last);
    EXPECT_NEAR(prediction->high_factor, 1 + 1.0 / run, 1e-9);
    EXPECT_NEAR(prediction->low_factor, 1 / prediction->high_factor, 1e-9);
    last = prediction->high_factor;
  }
}

TEST(Predictor, TheRangeHoldsMostOfTheMeasurements) {
  Dice dice(5);
  const Law law{.seconds = 100, .alpha = 0.1};
  const auto all = measure(law, {1, 4}, 40, 0.5, dice);
  const auto prediction = predict(all, true, {});
  const AmdahlFit fit{prediction->time.seconds, prediction->time.alpha};
  const auto within = std::ranges::count_if(all, [&](const Measurement& m) {
    const double ratio = m.seconds / fit.at(m.processors);
    return prediction->low_factor <= ratio && ratio <= prediction->high_factor;
  });
  EXPECT_GE(within, 28);
  EXPECT_LT(prediction->high_factor, 1.6);
}

TEST(Predictor, TheNoiseOfStartingCountsAsTenMilliseconds) {
  const std::vector<Measurement> quick = {measured(2, 4, 0.002, 0.008), measured(1, 1, 0.003, 0)};
  const auto prediction = predict(quick, true, {1, 4});
  EXPECT_NEAR(prediction->time.seconds, 0.01, 1e-9);
  EXPECT_NEAR(prediction->time.alpha, 1, 1e-9) << "more processors do not help";
}

}  // namespace
}  // namespace dovetail::run
