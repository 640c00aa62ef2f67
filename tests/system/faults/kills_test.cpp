// Killed at random instants, and aimed at both ends of a run; and the same command twice at once.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "support/system/fault_series.hpp"
#include "support/system/fault_sizes.hpp"
#include "support/system/run_scene.hpp"

namespace dovetail::testing {
namespace {

class Kills : public ::testing::Test {
 protected:
  // As many trials as really met the running program, at moments up to `longest` microseconds.
  static void expect_all_well(Trial::Kind kind, std::size_t count, long longest) {
    const FaultSeries series(
        [](const std::string& folder) { return std::make_unique<RunScene>(folder); });
    std::mt19937 dice(fault_seed());
    std::uniform_int_distribution<long> moment(0, longest);
    std::vector<TrialEnd> met;
    constexpr int kRounds = 10;
    for (int round = 0; round < kRounds && met.size() < count; ++round) {
      std::vector<Trial> trials;
      while (met.size() + trials.size() < count) {
        trials.push_back({.kind = kind, .microseconds = moment(dice)});
      }
      for (TrialEnd& end : series.play(trials)) {
        if (end.was_hit || !end.complaints.empty()) met.push_back(std::move(end));
      }
    }
    const std::string counts = counts_of(met);
    std::printf("%s\n", counts.c_str());
    EXPECT_TRUE(complaints_of(met).empty()) << counts << "\n" << complaints_of(met);
  }
};

constexpr long kMillisecond = 1000;

TEST_F(Kills, AtRandomInstants) {
  expect_all_well(Trial::Kind::kill_after, plays_all_faults() ? 500 : 8, 1500 * kMillisecond);
}

TEST_F(Kills, InTheFirstMoments) {
  expect_all_well(Trial::Kind::kill_after, plays_all_faults() ? 100 : 4, 50 * kMillisecond);
}

TEST_F(Kills, InTheLastMoments) {
  expect_all_well(Trial::Kind::kill_at_end, plays_all_faults() ? 100 : 4, 50 * kMillisecond);
}

TEST_F(Kills, TheSameCommandTwiceAtOnceRunsNothingTwice) {
  expect_all_well(Trial::Kind::twice, plays_all_faults() ? 100 : 8, 50 * kMillisecond);
}

}  // namespace
}  // namespace dovetail::testing
