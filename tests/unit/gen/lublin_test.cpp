#include "gen/lublin.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "dovetail/error.hpp"
#include "support/fingerprint.hpp"

namespace dovetail::gen {
namespace {

constexpr std::uint32_t kJobs = 20'000;

std::vector<LublinJob> make(LublinTypes types, std::uint64_t seed, Count processors = 128) {
  Random random(seed);
  return lublin_log({.types = types, .processors = processors, .jobs = kJobs}, random);
}

struct Summary {
  double gap = 0;
  double serial = 0;
  double procs = 0;
  double run = 0;
  double median = 0;
  double load = 0;
};

// Means over the jobs and over several seeds: gaps and run times have long tails, so that 20,000
// jobs alone leave an uncertainty of 5 to 14 per cent.
Summary summarise(LublinTypes types) {
  constexpr int kSeeds = 10;
  Summary mean;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::vector<LublinJob> jobs = make(types, seed);
    std::vector<double> runs;
    for (const LublinJob& job : jobs) {
      mean.serial += job.procs == 1 ? 1.0 / kJobs / kSeeds : 0;
      mean.procs += 1.0 * job.procs / kJobs / kSeeds;
      mean.run += to_seconds(job.run) / kJobs / kSeeds;
      runs.push_back(to_seconds(job.run));
    }
    std::nth_element(runs.begin(), runs.begin() + kJobs / 2, runs.end());
    mean.median += runs[kJobs / 2] / kSeeds;
    mean.gap += to_seconds(jobs.back().submit) / kJobs / kSeeds;
    mean.load += offered_load(jobs, 128) / kSeeds;
  }
  return mean;
}

// The table in the model's specification: 128 processors, 20,000 jobs, two seeds.
struct Expected {
  LublinTypes types;
  Summary summary;
};

class LublinTable : public ::testing::TestWithParam<Expected> {};

TEST_P(LublinTable, StatisticsAgreeWithTheReference) {
  const Summary& expected = GetParam().summary;
  const Summary got = summarise(GetParam().types);
  EXPECT_NEAR(got.gap / expected.gap, 1, 0.10);
  EXPECT_NEAR(got.serial, expected.serial, 0.01);
  EXPECT_NEAR(got.procs / expected.procs, 1, 0.04);
  EXPECT_NEAR(got.run / expected.run, 1, 0.15);
  EXPECT_NEAR(got.median / expected.median, 1, 0.06);
  EXPECT_NEAR(got.load, expected.load, 0.03);
}

INSTANTIATE_TEST_SUITE_P(
    Types, LublinTable,
    ::testing::Values(Expected{LublinTypes::single, {901, 0.24, 12, 4300, 105, 0.725}},
                      Expected{LublinTypes::batch, {3619, 0.29, 13.9, 9450, 810, 0.35}},
                      Expected{LublinTypes::interactive, {665, 0.15, 8.0, 214, 13, 0.03}},
                      Expected{LublinTypes::both, {524, 0.17, 8.9, 1510, 17, 0.39}}));

TEST(Lublin, ArrivalsFollowTheDay) {
  std::vector<int> by_hour(24);
  for (const LublinJob& job : make(LublinTypes::single, 3)) {
    ++by_hour[static_cast<std::size_t>(job.submit / 3'600'000 % 24)];
  }
  const auto lowest = std::min_element(by_hour.begin(), by_hour.end()) - by_hour.begin();
  const auto highest = std::max_element(by_hour.begin(), by_hour.end()) - by_hour.begin();
  EXPECT_GE(lowest, 3);
  EXPECT_LE(lowest, 5);
  EXPECT_GE(highest, 12);
  EXPECT_LE(highest, 15);
}

TEST(Lublin, JobsAreInOrderAndWithinTheMachine) {
  for (const Count processors : {1, 3, 57, 1152}) {
    Time last = 0;
    for (const LublinJob& job : make(LublinTypes::both, 4, processors)) {
      ASSERT_GE(job.submit, last);
      ASSERT_GE(job.run, 1000);
      ASSERT_GE(job.procs, 1);
      ASSERT_LE(job.procs, processors);
      last = job.submit;
    }
  }
}

TEST(Lublin, MostParallelBatchJobsArePowersOfTwo) {
  int parallel = 0;
  int powers = 0;
  for (const LublinJob& job : make(LublinTypes::batch, 5)) {
    if (job.procs == 1) continue;
    ++parallel;
    powers += std::has_single_bit(static_cast<std::uint32_t>(job.procs));
  }
  EXPECT_GT(powers, 0.94 * parallel);
  EXPECT_LT(powers, parallel);
}

TEST(Lublin, LargerMachinesGetLargerJobs) {
  const auto largest = [](Count processors) {
    Count most = 0;
    for (const LublinJob& job : make(LublinTypes::single, 6, processors)) {
      most = std::max(most, job.procs);
    }
    return most;
  };
  EXPECT_EQ(largest(64), 64);
  EXPECT_EQ(largest(1024), 1024);
}

TEST(Lublin, ScalesToALoad) {
  std::vector<LublinJob> jobs = make(LublinTypes::both, 7);
  const std::vector<LublinJob> before = jobs;
  scale_to_load(jobs, 128, 0.7);
  EXPECT_NEAR(offered_load(jobs, 128), 0.7, 1e-4);
  EXPECT_EQ(jobs[100].run, before[100].run);
}

TEST(Lublin, IsTheSameForTheSameSeed) {
  testing::Fingerprint print;
  for (const LublinJob& job : make(LublinTypes::both, 42)) {
    print.add(job.submit).add(job.run).add(job.procs);
  }
  EXPECT_EQ(print.value(), 13472697446846241100ULL);
}

TEST(Lublin, RefusesNothing) {
  Random random(1);
  EXPECT_THROW(lublin_log({.processors = 0}, random), InputError);
  EXPECT_THROW(lublin_log({.jobs = 0}, random), InputError);
}

}  // namespace
}  // namespace dovetail::gen
