// A test that cuts the power while programs of a scene work, on each file system.
//
//   class PowerRun : public PowerTest<RealRun> { void prepare() ... void record(...) ... };
//   TEST_P(PowerRun, WhatIsDoneAfterACutIsRight) { expect_right_after_all_cuts("runs"); }
//   INSTANTIATE_TEST_SUITE_P(FileSystems, PowerRun, kFileSystems, name_of_file_system);
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <iostream>
#include <string>

#include "support/power/power_lab.hpp"

namespace dovetail::testing {

inline const auto kFileSystems = ::testing::Values("ext4", "xfs", "btrfs");

inline std::string name_of_file_system(const ::testing::TestParamInfo<const char*>& test) {
  return test.param;
}

template <typename Scene>
class PowerTest : public Scene, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    Scene::SetUp();
    if (const std::string why = lab_.why_not(); !why.empty()) GTEST_SKIP() << why;
    alarm(0);  // many cuts take long
    prepare();
  }

  // What the test needs before its disk is there.
  virtual void prepare() = 0;
  // Lets the programs work between begin() and end() of the lab.
  virtual void record(std::uint64_t seed, bool writes_back) = 0;
  // Looks at what a cut left, and puts what is wrong into the findings.
  virtual void judge(const PowerCut& cut) = 0;

  void expect_right_after_all_cuts(const std::string& programs) {
    const int recordings = wanted_cuts() < 200 ? 2 : 4;
    std::size_t flushes = 0;
    for (int i = 0; i < recordings; ++i) {
      ASSERT_NO_FATAL_FAILURE(record(static_cast<std::uint64_t>(i + 1), i % 2 == 1));
      lab_.cut(wanted_cuts() / recordings, [&](const PowerCut& cut) { judge(cut); });
      flushes += lab_.flushes();
    }
    std::cout << wanted_cuts() << " cuts behind " << flushes << " flushes of " << recordings << " "
              << programs << " on " << GetParam() << "; wrong after "
              << findings_.cuts_with_a_finding() << "\n";
    EXPECT_EQ(findings_.cuts_with_a_finding(), 0) << findings_.text();
  }

  PowerLab lab_{this->file("lab"), GetParam()};
  CutFindings findings_;
};

}  // namespace dovetail::testing
