// What tasks take of the nodes of a job, and how jobs are sized by that.
#include "queue/strategies/node_share.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "queue/strategies/run_times.hpp"
#include "support/file_checks.hpp"

namespace dovetail::queue {
namespace {

constexpr NodeType kNode{.count = 4, .cores = 8, .memory = 64 * kGibibyte, .gpus = 2};

TaskShare share(const TimeSpec& time, const TaskNeeds& needs = {}, const NodeType& node = kNode) {
  WorkflowBuilder builder("test");
  builder.add_task({.id = "a", .time = time, .needs = needs});
  const Workflow workflow = std::move(builder).build();
  return share_of(needs, workflow.time(0), node);
}

TEST(NodeShare, ATaskOfFixedSizeTakesItsProcessors) {
  EXPECT_EQ(share(TimeSpec::fixed(10)).demand, NodeDemand{});
  const TaskShare three = share(TimeSpec::fixed(10, 3), {.memory = kGibibyte, .gpus = 1});
  EXPECT_EQ(three.processors, 3);
  EXPECT_EQ(three.demand, (NodeDemand{.cores = 3, .memory = kGibibyte, .gpus = 1}));
}

TEST(NodeShare, ATaskThatIsLargerThanANodeTakesWholeNodes) {
  const TaskShare wide = share(TimeSpec::fixed(10, 20));
  EXPECT_EQ(wide.processors, 20);
  EXPECT_EQ(wide.demand, (NodeDemand{.nodes = 3, .cores = 7, .is_whole = true}));
}

TEST(NodeShare, AMoldableTaskTakesWhatANodeHasOrWhatHelpsIt) {
  EXPECT_EQ(share(TimeSpec::amdahl(100, 0.1)).processors, 8);
  EXPECT_EQ(share(TimeSpec::amdahl(100, 0.1, {.min = 1, .max = 3})).demand.cores, 3);
  const TaskShare wide = share(TimeSpec::amdahl(100, 0.1, {.min = 9, .max = 0}));
  EXPECT_EQ(wide.processors, 16);
  EXPECT_EQ(wide.demand.nodes, 2);
  EXPECT_EQ(share(TimeSpec::amdahl(100, 0.1), {.min_nodes = 2, .max_nodes = 4}).processors, 16);
}

TEST(NodeShare, AMoldableTaskTakesFewerProcessorsWhereMemoryIsShort) {
  EXPECT_EQ(share(TimeSpec::amdahl(100, 0.1), {.memory_per_processor = 10 * kGibibyte}).processors,
            6);
}

TEST(NodeShare, WhatNoNodesCanHoldIsRefused) {
  EXPECT_THROW(share(TimeSpec::fixed(10, 33)), InputError);
  EXPECT_THROW(share(TimeSpec::fixed(10), {.gpus = 3}), InputError);
  WorkflowBuilder builder("test");
  builder.add_task({.id = "big", .time = TimeSpec::fixed(10, 33)});
  const std::string error = testing::error_of([&] {
    LeveledTasks(std::move(builder).build(), {.name = "c", .processors = 32, .cores_per_node = 8});
  });
  EXPECT_EQ(error.find("c: task \"big\" needs "), 0U) << error;
}

TEST(NodeShare, ANodeOfAJobIsWhatAllNodesHave) {
  const NodeType node = job_node(
      {.name = "c",
       .processors = 40,
       .node_types = {{.count = 2, .cores = 8, .memory = 64, .gpus = 1, .features = {"ib", "big"}},
                      {.count = 6, .cores = 4, .features = {"ib"}}}});
  EXPECT_EQ(node, (NodeType{.count = 8, .cores = 4, .memory = 64, .features = {"ib"}}));
}

// --- the size of jobs

LeveledTasks many(int count, Count processors, const TaskNeeds& needs = {}) {
  WorkflowBuilder builder("test");
  for (int i = 0; i < count; ++i) {
    builder.add_task(
        {.id = "t" + std::to_string(i), .time = TimeSpec::fixed(10, processors), .needs = needs});
  }
  return {std::move(builder).build(),
          Cluster{.name = "c", .processors = 32, .cores_per_node = 8, .node_types = {kNode}}};
}

TaskSet all_of(const LeveledTasks& tasks) {
  std::vector<TaskId> all(tasks.size());
  std::iota(all.begin(), all.end(), TaskId{0});
  return make_set(tasks, all);
}

TEST(NodeShare, SixteenTasksOfOneCoreTakeOneRoundOnTwoNodesOfEight) {
  const LeveledTasks tasks = many(16, 1);
  const TaskSet all = all_of(tasks);
  EXPECT_EQ(all.width, 2);
  EXPECT_EQ(all.work, 20 * kSecond);
  RunTimes run_times(tasks, Pick::shortest);
  EXPECT_EQ(run_times.run(all, 2), 10 * kSecond);
  EXPECT_EQ(run_times.run(all, 1), 20 * kSecond);
  EXPECT_EQ(shortest_run(all, 1), 20 * kSecond);
}

TEST(NodeShare, WorkCountsWhatIsShortest) {
  EXPECT_EQ(all_of(many(4, 1, {.memory = 32 * kGibibyte})).work, 20 * kSecond);
  EXPECT_EQ(all_of(many(4, 1, {.gpus = 2})).work, 40 * kSecond);
  EXPECT_EQ(all_of(many(4, 2)).work, 10 * kSecond);
  EXPECT_EQ(all_of(many(2, 16)).work, 40 * kSecond) << "two whole nodes each";
}

TEST(NodeShare, WidthIsWhatTheTasksOfALevelCanUseAtOnce) {
  EXPECT_EQ(all_of(many(3, 3)).width, 2) << "two fit on a node";
  EXPECT_EQ(all_of(many(4, 5)).width, 4) << "no two of them do";
  EXPECT_EQ(all_of(many(2, 16)).width, 4);
  EXPECT_EQ(all_of(many(2, 16)).least_nodes, 2);
  EXPECT_EQ(all_of(many(7, 1, {.gpus = 1})).width, 4);
  EXPECT_EQ(all_of(many(7, 1, {.memory = 30 * kGibibyte})).width, 4);
}

TEST(NodeShare, SmallTasksFillWhatLargeOnesLeave) {
  NodeSharing sharing{.node = kNode, .demands = {{.cores = 5}, {.cores = 3}, {.cores = 1}}};
  EXPECT_EQ(nodes_at_once(sharing, {{0, 2}, {1, 2}}), 2);
  EXPECT_EQ(nodes_at_once(sharing, {{2, 6}, {0, 2}}), 2);
  EXPECT_EQ(nodes_at_once(sharing, {{2, 7}, {0, 2}}), 3);
  EXPECT_EQ(nodes_at_once(sharing, {{0, 1'000}, {1, 1'000}, {2, 8}}), 1'001);
  EXPECT_EQ(nodes_at_once(sharing, {}), 0);
}

TEST(NodeShare, TasksThatCannotShareAreCounted) {
  EXPECT_TRUE(many(3, 5).is_plain());
  EXPECT_TRUE(many(3, 8).is_plain());
  EXPECT_FALSE(many(3, 4).is_plain());
  EXPECT_FALSE(many(3, 9).is_plain());
}

}  // namespace
}  // namespace dovetail::queue
