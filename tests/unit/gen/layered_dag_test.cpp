#include "gen/layered_dag.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "dovetail/error.hpp"
#include "support/fingerprint.hpp"

namespace dovetail::gen {
namespace {

std::vector<int> level_sizes(const Workflow& workflow) {
  std::vector<int> sizes;
  for (std::uint32_t level : workflow.levels()) {
    if (level >= sizes.size()) sizes.resize(level + 1);
    ++sizes[level];
  }
  return sizes;
}

TEST(LayeredDag, MeanLevelSizeIsAPowerOfTheTasks) {
  EXPECT_EQ(mean_level_size({.width = 0.1}), 1U);
  EXPECT_EQ(mean_level_size({.width = 0.5}), 7U);
  EXPECT_EQ(mean_level_size({.width = 0.9}), 33U);
}

TEST(LayeredDag, MeanLevelSizeIsNotCutByBinaryNoise) {
  EXPECT_EQ(mean_level_size({.tasks = 100, .width = 0.5}), 10U);
  EXPECT_EQ(mean_level_size({.tasks = 10, .width = 1}), 10U);
  EXPECT_EQ(mean_level_size({.tasks = 1000, .width = 1.0 / 3.0}), 10U);
}

TEST(LayeredDag, FullRegularityGivesEqualLevelsAndACutLastOne) {
  Random random(1);
  const Workflow workflow = layered_dag({.regularity = 1}, random);
  EXPECT_EQ(level_sizes(workflow), (std::vector<int>{7, 7, 7, 7, 7, 7, 7, 1}));
}

TEST(LayeredDag, NarrowWidthIsAChain) {
  Random random(1);
  const Workflow workflow = layered_dag({.width = 0.1}, random);
  EXPECT_EQ(workflow.edge_count(), 49U);
  EXPECT_EQ(level_sizes(workflow), std::vector<int>(50, 1));
}

TEST(LayeredDag, LevelSizesStayWithinTheSpread) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<int> sizes = level_sizes(layered_dag({.tasks = 400, .regularity = 0.6}, random));
    sizes.pop_back();                                              // the last one is cut
    EXPECT_GE(*std::min_element(sizes.begin(), sizes.end()), 12);  // floor(20 * 0.6)
    EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()), 27);  // below 20 * 1.4
  }
}

TEST(LayeredDag, EveryTaskBelowTheFirstLevelHasAParent) {
  for (std::uint32_t jump = 1; jump <= 4; ++jump) {
    Random random(jump);
    const Workflow workflow = layered_dag({.regularity = 1, .jump = jump}, random);
    for (TaskId task = 0; task < workflow.size(); ++task) {
      EXPECT_EQ(workflow.predecessors(task).empty(), task < 7) << task << " jump " << jump;
    }
  }
}

TEST(LayeredDag, ParentsAreAtMostJumpLevelsUp) {
  for (std::uint32_t jump = 1; jump <= 4; ++jump) {
    Random random(jump);
    const Workflow workflow = layered_dag({.tasks = 100, .regularity = 1, .jump = jump}, random);
    std::uint32_t longest = 0;
    for (TaskId task = 0; task < workflow.size(); ++task) {
      for (TaskId parent : workflow.predecessors(task)) {
        ASSERT_GT(task / 10, parent / 10);
        longest = std::max(longest, task / 10 - parent / 10);
      }
    }
    EXPECT_EQ(longest, jump);
  }
}

TEST(LayeredDag, DensityBoundsTheParents) {
  for (const double density : {0.1, 0.5, 0.9, 1.0}) {
    Random random(11);
    const Workflow workflow =
        layered_dag({.tasks = 400, .density = density, .regularity = 1}, random);
    std::size_t most = 0;
    std::size_t total = 0;
    for (TaskId task = 20; task < 400; ++task) {
      most = std::max(most, workflow.predecessors(task).size());
      total += workflow.predecessors(task).size();
    }
    // 1 + floor(u) with u below density * 20 has the mean 0.5 + density * 10.
    EXPECT_EQ(most, static_cast<std::size_t>(20 * density + 1e-9)) << density;
    EXPECT_NEAR(static_cast<double>(total) / 380, 0.5 + 10 * density, 0.6) << density;
  }
}

TEST(LayeredDag, DensityZeroGivesOneParent) {
  Random random(12);
  const Workflow workflow = layered_dag({.density = 0, .regularity = 1}, random);
  EXPECT_EQ(workflow.edge_count(), 43U);
}

TEST(LayeredDag, TimesAndSharesStayInRange) {
  Random random(13);
  const Workflow workflow = layered_dag({.tasks = 2000}, random);
  double least = 1e9;
  double most = 0;
  for (TaskId task = 0; task < workflow.size(); ++task) {
    const TaskTime time = workflow.time(task);
    ASSERT_EQ(time.kind(), TimeKind::amdahl);
    ASSERT_LE(time.alpha(), 0.2);
    ASSERT_DOUBLE_EQ(std::round(time.seconds() * 1000), time.seconds() * 1000);
    least = std::min(least, time.seconds());
    most = std::max(most, time.seconds());
  }
  EXPECT_GE(least, 60);
  EXPECT_LT(least, 200);
  EXPECT_LE(most, 36'000);
  EXPECT_GT(most, 35'000);
}

TEST(LayeredDag, IsTheSameForTheSameSeed) {
  const auto print = [](std::uint64_t seed, std::uint32_t jump) {
    Random random(seed);
    return testing::fingerprint(layered_dag({.jump = jump}, random));
  };
  EXPECT_EQ(print(42, 1), 13439762221637422768ULL);
  EXPECT_EQ(print(42, 3), 6096594137333696604ULL);
  EXPECT_NE(print(43, 1), print(42, 1));
}

TEST(LayeredDag, OneTaskIsAWorkflow) {
  Random random(1);
  EXPECT_EQ(layered_dag({.tasks = 1}, random).size(), 1U);
}

TEST(LayeredDag, SaysWhatIsOutOfRange) {
  Random random(1);
  try {
    layered_dag({.density = 1.5}, random);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "density is 1.5; it must be between 0 and 1");
  }
  EXPECT_THROW(layered_dag({.tasks = 0}, random), InputError);
  EXPECT_THROW(layered_dag({.jump = 0}, random), InputError);
  EXPECT_THROW(layered_dag({.times = {.min_seconds = 9, .max_seconds = 8}}, random), InputError);
}

}  // namespace
}  // namespace dovetail::gen
