#include "gen/wide_apps.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/file_checks.hpp"
#include "support/fingerprint.hpp"
#include "support/workflow_shape.hpp"

namespace dovetail::gen {
namespace {

using testing::level_widths;
using testing::Widths;

TEST(WideApps, BlastIsLinesBetweenASplitAndAMerge) {
  Random random(1);
  const Workflow workflow = blast({.ways = 200}, random);
  EXPECT_EQ(workflow.size(), 402U);
  EXPECT_EQ(workflow.edge_count(), 600U);
  EXPECT_EQ(level_widths(workflow), (Widths{1, 200, 200, 1}));
  const TaskId parse = *workflow.find("parse_17");
  ASSERT_EQ(workflow.predecessors(parse).size(), 1U);
  EXPECT_EQ(workflow.predecessors(parse)[0], *workflow.find("blast_17"));
}

TEST(WideApps, Wien2kHasTwoWideSectionsAroundOneTask) {
  Random random(1);
  const Workflow workflow = wien2k({.ways = 30}, random);
  EXPECT_EQ(workflow.size(), 68U);
  EXPECT_EQ(level_widths(workflow), (Widths{1, 1, 30, 1, 30, 1, 1, 1, 1, 1}));
  EXPECT_EQ(workflow.edge_count(), 1 + 4 * 30U + 4);
  EXPECT_EQ(workflow.predecessors(*workflow.find("LAPW2_FERMI_0")).size(), 30U);
  EXPECT_EQ(workflow.successors(*workflow.find("LAPW2_FERMI_0")).size(), 30U);
}

TEST(WideApps, TheNarrowestAreStillWhole) {
  Random random(1);
  EXPECT_EQ(level_widths(blast({.ways = 1}, random)), Widths(4, 1));
  EXPECT_EQ(level_widths(wien2k({.ways = 1}, random)), Widths(10, 1));
}

TEST(WideApps, TasksAndTransfersOfAnOperationTakeTheSameTime) {
  Random random(2);
  const Workflow workflow = wien2k({.ways = 20, .ccr = 5}, random);
  for (const auto& [type, seconds] : testing::seconds_by_type(workflow)) {
    EXPECT_EQ(std::count(seconds.begin(), seconds.end(), seconds[0]),
              static_cast<std::ptrdiff_t>(seconds.size()))
        << type;
    EXPECT_LE(seconds[0], 200) << type;
  }
  const auto transfers = workflow.transfers_in(*workflow.find("Sumpara_0"));
  ASSERT_EQ(transfers.size(), 20U);
  EXPECT_EQ(std::count(transfers.begin(), transfers.end(), transfers[0]), 20);
  EXPECT_LE(transfers[0], 1'000'000);
}

TEST(WideApps, MeansAreAsAsked) {
  double seconds = 0;
  double transfers = 0;
  constexpr int kFlows = 2000;
  for (std::uint64_t seed = 1; seed <= kFlows; ++seed) {
    Random random(seed);
    const Workflow workflow = blast({.ways = 1, .mean_seconds = 50, .ccr = 0.5}, random);
    for (TaskId task = 0; task < 4; ++task) {
      seconds += workflow.time(task).seconds() / 4 / kFlows;
      for (const Duration t : workflow.transfers_in(task)) transfers += to_seconds(t) / 3 / kFlows;
    }
  }
  EXPECT_NEAR(seconds, 50, 1.5);
  EXPECT_NEAR(transfers, 25, 1);
}

TEST(WideApps, AreTheSameForTheSameSeed) {
  const auto print = [](auto make_one, std::uint64_t seed) {
    Random random(seed);
    return testing::fingerprint(make_one({.ways = 40}, random, "flow"));
  };
  EXPECT_EQ(print(blast, 3), 12384416781180097112ULL);
  EXPECT_EQ(print(wien2k, 3), 4098236720696375571ULL);
}

TEST(WideApps, RefuseWhatIsOutOfRange) {
  Random random(1);
  const auto error = [&](const WaysSpec& spec) {
    return testing::error_of([&] { wien2k(spec, random); });
  };
  EXPECT_EQ(error({.ways = 0}), "ways is 0; it must be between 1 and 4999992");
  EXPECT_EQ(error({.mean_seconds = -1}), "mean time is -1; it must be between 0.001 and 1000000");
  EXPECT_EQ(error({.ccr = -1}), "ccr is -1; it must be between 0 and 1000");
}

}  // namespace
}  // namespace dovetail::gen
