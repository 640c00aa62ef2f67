#include "core/random.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace dovetail {
namespace {

TEST(Random, FollowsThePublishedGenerator) {
  // xoshiro256** with its state filled by splitmix64 from 0.
  Random random(0);
  EXPECT_EQ(random.next(), 11091344671253066420ULL);
  EXPECT_EQ(random.next(), 13793997310169335082ULL);
  EXPECT_EQ(random.next(), 1900383378846508768ULL);
}

TEST(Random, SameSeedSameNumbers) {
  Random a(7);
  Random b(7);
  Random c(8);
  EXPECT_EQ(a.next(), b.next());
  EXPECT_NE(a.next(), c.next());
}

TEST(Random, SplitDependsOnSeedAndStreamAlone) {
  Random fresh(5);
  Random used(5);
  used.next();
  EXPECT_EQ(fresh.split(3).next(), used.split(3).next());
}

TEST(Random, StreamsDiffer) {
  std::set<std::uint64_t> first;
  const Random root(1);
  for (std::uint64_t i = 0; i < 30; ++i) {
    first.insert(Random(i).next());
    for (std::uint64_t j = 0; j < 30; ++j) first.insert(root.split(i).split(j).next());
  }
  EXPECT_EQ(first.size(), 930U);
}

TEST(Random, Uniform01StaysInsideAndHasTheRightMean) {
  Random random(2);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double u = random.uniform01();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
  }
  EXPECT_NEAR(sum / 100'000, 0.5, 0.005);
}

TEST(Random, UniformOfAnEmptyRangeIsItsBegin) { EXPECT_EQ(Random(3).uniform(4, 4), 4); }

TEST(Random, BelowIsEvenOverAllAnswers) {
  Random random(3);
  std::vector<int> seen(7);
  for (int i = 0; i < 70'000; ++i) ++seen.at(random.below(7));
  for (int count : seen) EXPECT_NEAR(count, 10'000, 500);
}

TEST(Random, BelowIsFairForRangesNearTheFullWord) {
  // Of 2^64 values, taking the remainder by 3 * 2^62 would double the chance of the lowest third.
  Random random(4);
  const std::uint64_t third = std::uint64_t{1} << 62;
  int low = 0;
  for (int i = 0; i < 30'000; ++i) low += random.below(3 * third) < third;
  EXPECT_NEAR(low, 10'000, 500);
}

TEST(Random, BelowOneIsZero) { EXPECT_EQ(Random(9).below(1), 0U); }

TEST(Random, NormalHasMeanZeroAndVarianceOne) {
  Random random(5);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 100'000, 0, 0.02);
  EXPECT_NEAR(squares / 100'000, 1, 0.02);
}

TEST(Random, GammaHasItsMeanAndVariance) {
  for (const double shape : {0.5, 1.0, 4.2, 312.0}) {
    Random random(6);
    const double scale = 0.7;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < 100'000; ++i) {
      const double x = random.gamma(shape, scale);
      ASSERT_GE(x, 0);
      sum += x;
      squares += x * x;
    }
    const double mean = sum / 100'000;
    EXPECT_NEAR(mean / (shape * scale), 1, 0.02) << shape;
    EXPECT_NEAR((squares / 100'000 - mean * mean) / (shape * scale * scale), 1, 0.04) << shape;
  }
}

}  // namespace
}  // namespace dovetail
