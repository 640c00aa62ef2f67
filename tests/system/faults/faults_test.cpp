// A fault at every call: each system call of the program that can fail does so in turn, and the
// program is killed at each. Then the same command again, without faults, makes all well: every
// task has run once, and nothing is lost.
//
// A sample is played; with DOVETAIL_FAULTS=all (make test-faults) every call is.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>

#include "support/system/batch_scene.hpp"
#include "support/system/daemon_scene.hpp"
#include "support/system/fault_series.hpp"
#include "support/system/fault_sizes.hpp"
#include "support/system/real_federation.hpp"

namespace dovetail::testing {
namespace {

class FaultAtEveryCall : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_trace_calls()) GTEST_SKIP() << "needs an x86-64 machine and the right to trace";
  }

  // All trials, or so many of them.
  static void expect_all_well(const FaultSeries& series, TracedRole role, std::size_t sample) {
    std::vector<Trial> trials = series.trials(role, plays_all_faults() ? 2 : 1);
    ASSERT_GT(trials.size(), 50U);
    if (const char* const only = getenv("DOVETAIL_FAULTS_ONLY")) {
      std::erase_if(
          trials, [&](const Trial& trial) { return trial.text().find(only) == std::string::npos; });
    }
    if (!plays_all_faults()) trials = some_of(std::move(trials), sample, fault_seed());
    std::printf("%zu trials\n", trials.size());
    std::fflush(stdout);
    const std::vector<TrialEnd> ends = series.play(trials);
    const std::string counts = counts_of(ends);
    std::printf("%s\n", counts.c_str());
    EXPECT_TRUE(complaints_of(ends).empty()) << counts << "\n" << complaints_of(ends);
  }

  template <typename Scene>
  static FaultSeries series_of() {
    return FaultSeries([](const std::string& folder) { return std::make_unique<Scene>(folder); });
  }
};

TEST_F(FaultAtEveryCall, OfARun) {
  expect_all_well(series_of<RunScene>(), TracedRole::program, 24);
}

TEST_F(FaultAtEveryCall, OfTheSupervisorsOfARun) {
  expect_all_well(series_of<RunScene>(), TracedRole::helpers, 10);
}

TEST_F(FaultAtEveryCall, OfAResumedRun) {
  expect_all_well(series_of<ResumeScene>(), TracedRole::program, 10);
}

TEST_F(FaultAtEveryCall, OfARunThatGoesOnWithAnEarlierOne) {
  expect_all_well(series_of<SecondRunScene>(), TracedRole::program, 6);
}

TEST_F(FaultAtEveryCall, OfTheJobsOfARunOnABatchSystem) {
  expect_all_well(series_of<BatchScene>(), TracedRole::jobs, 6);
}

TEST_F(FaultAtEveryCall, OfARunOnABatchSystem) {
  expect_all_well(series_of<BatchScene>(), TracedRole::program, 6);
}

struct FreePort : RealFederation {
  using RealFederation::free_port;
};

TEST_F(FaultAtEveryCall, OfADaemonThatComputesMonths) {
  const TestKeys keys;
  keys.make(federation::Role::daemon, "azur");
  const DaemonKeys paths{keys.path("azur"), keys.make(federation::Role::client, "alice")};
  const FaultSeries series([&](const std::string& folder) {
    return std::make_unique<DaemonScene>(folder, paths, FreePort::free_port());
  });
  expect_all_well(series, TracedRole::program, 10);
}

}  // namespace
}  // namespace dovetail::testing
