#include "gen/shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "dovetail/error.hpp"
#include "support/fingerprint.hpp"

namespace dovetail::gen {
namespace {

// Entry tasks, exit tasks and levels: what a shape is recognised by.
struct Outline {
  std::size_t tasks, edges, entries, exits, levels;
  friend bool operator==(const Outline&, const Outline&) = default;
};

std::ostream& operator<<(std::ostream& out, const Outline& o) {
  return out << o.tasks << " tasks, " << o.edges << " edges, " << o.entries << " entries, "
             << o.exits << " exits, " << o.levels << " levels";
}

Outline outline(const Workflow& workflow) {
  Outline result{workflow.size(), workflow.edge_count(), 0, 0, 0};
  for (TaskId task = 0; task < workflow.size(); ++task) {
    result.entries += workflow.predecessors(task).empty();
    result.exits += workflow.successors(task).empty();
  }
  for (std::size_t level : workflow.levels()) result.levels = std::max(result.levels, level + 1);
  return result;
}

TEST(Shapes, FftIsACallTreeAboveButterflies) {
  Random random(1);
  EXPECT_EQ(outline(fft({.points = 2}, random)), (Outline{5, 6, 1, 2, 3}));
  EXPECT_EQ(outline(fft({.points = 4}, random)), (Outline{15, 22, 1, 4, 5}));
  EXPECT_EQ(outline(fft({.points = 8}, random)), (Outline{39, 62, 1, 8, 7}));
  EXPECT_EQ(outline(fft({.points = 16}, random)), (Outline{95, 158, 1, 16, 9}));
}

TEST(Shapes, FftButterfliesReachEveryOutputFromEveryLeaf) {
  Random random(1);
  const Workflow workflow = fft({.points = 8}, random);
  std::vector<bool> reached(workflow.size());
  reached[*workflow.find("call_3_5")] = true;
  for (TaskId task : workflow.topological_order()) {
    for (TaskId parent : workflow.predecessors(task)) {
      if (reached[parent]) reached[task] = true;
    }
  }
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(reached[*workflow.find("butterfly_2_" + std::to_string(i))]) << i;
  }
}

TEST(Shapes, FftTasksOfALevelTakeTheSameTime) {
  Random random(2);
  const Workflow workflow = fft({.points = 8}, random);
  EXPECT_EQ(workflow.time(*workflow.find("butterfly_1_0")).seconds(),
            workflow.time(*workflow.find("butterfly_1_7")).seconds());
  EXPECT_NE(workflow.time(*workflow.find("butterfly_1_0")).seconds(),
            workflow.time(*workflow.find("butterfly_2_0")).seconds());
}

TEST(Shapes, FftNeedsAPowerOfTwo) {
  Random random(1);
  EXPECT_THROW(fft({.points = 12}, random), InputError);
  EXPECT_THROW(fft({.points = 1}, random), InputError);
}

TEST(Shapes, StrassenHasTwentyFiveTasks) {
  Random random(1);
  const Workflow workflow = strassen({.sum_share = 0.1}, random);
  EXPECT_EQ(outline(workflow), (Outline{25, 26, 10, 4, 4}));
  const double product = workflow.time(*workflow.find("M1")).seconds();
  const double sum = workflow.time(*workflow.find("C11")).seconds();
  EXPECT_NEAR(sum, 0.1 * product, 0.001);
}

TEST(Shapes, StrassenCombinesTheRightProducts) {
  Random random(1);
  const Workflow workflow = strassen({}, random);
  const auto needs = [&](const char* task, const char* parent) {
    const auto parents = workflow.predecessors(*workflow.find(task));
    return std::count(parents.begin(), parents.end(), *workflow.find(parent)) == 1;
  };
  EXPECT_TRUE(needs("C12", "M3") && needs("C12", "M5"));
  EXPECT_TRUE(needs("C21", "M2") && needs("C21", "M4"));
  EXPECT_TRUE(needs("M6", "A21_minus_A11") && needs("M6", "B11_plus_B12"));
}

TEST(Shapes, ChainAndIndependent) {
  Random random(1);
  EXPECT_EQ(outline(chain({.tasks = 10}, random)), (Outline{10, 9, 1, 1, 10}));
  EXPECT_EQ(outline(chain({.tasks = 1}, random)), (Outline{1, 0, 1, 1, 1}));
  EXPECT_EQ(outline(independent({.tasks = 10}, random)), (Outline{10, 0, 10, 10, 1}));
}

TEST(Shapes, ForkJoinRepeatsItsStages) {
  Random random(1);
  EXPECT_EQ(outline(fork_join({.width = 8}, random)), (Outline{10, 16, 1, 1, 3}));
  EXPECT_EQ(outline(fork_join({.width = 3, .stages = 2}, random)), (Outline{10, 13, 1, 1, 6}));
}

TEST(Shapes, StrictLevelsDependOnTheWholeLevelBefore) {
  Random random(1);
  EXPECT_EQ(outline(strict_levels({.widths = {2, 3, 4}}, random)), (Outline{9, 18, 2, 4, 3}));
}

TEST(Shapes, TreesAreMirrorImages) {
  Random random(1);
  EXPECT_EQ(outline(in_tree({.levels = 4, .arity = 3}, random)), (Outline{40, 39, 27, 1, 4}));
  EXPECT_EQ(outline(out_tree({.levels = 4, .arity = 3}, random)), (Outline{40, 39, 1, 27, 4}));
}

TEST(Shapes, TreesRefuseToGrowWithoutBound) {
  Random random(1);
  EXPECT_THROW(out_tree({.levels = 64, .arity = 2}, random), InputError);
}

TEST(Shapes, RigidTasksRunOnOneProcessor) {
  Random random(1);
  const Workflow workflow = chain({.tasks = 3, .times = {.moldable = false}}, random);
  EXPECT_EQ(workflow.time(0).kind(), TimeKind::fixed);
  EXPECT_EQ(workflow.time(0).max_procs(), 1);
}

TEST(Shapes, AreTheSameForTheSameSeed) {
  Random random(42);
  EXPECT_EQ(testing::fingerprint(fft({}, random)), 1728506999240611211ULL);
  EXPECT_EQ(testing::fingerprint(strassen({}, random)), 2411316837080955742ULL);
  EXPECT_EQ(testing::fingerprint(in_tree({}, random)), 9255970555693582551ULL);
}

TEST(Shapes, NothingIsNotAWorkflow) {
  Random random(1);
  EXPECT_THROW(chain({.tasks = 0}, random), InputError);
  EXPECT_THROW(strict_levels({.widths = {}}, random), InputError);
  EXPECT_THROW(strict_levels({.widths = {2, 0}}, random), InputError);
  EXPECT_THROW(fork_join({.width = 0}, random), InputError);
}

}  // namespace
}  // namespace dovetail::gen
