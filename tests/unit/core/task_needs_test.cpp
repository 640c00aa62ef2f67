// What tasks need of nodes and what clusters say about theirs, as programs give it: the checks of
// workflows, platforms and problems.
#include <gtest/gtest.h>

#include "dovetail/problem.hpp"
#include "support/file_checks.hpp"

namespace dovetail {
namespace {

using testing::error_of;

Workflow flow_of(const TaskNeeds& needs, TimeSpec time = TimeSpec::fixed(1)) {
  WorkflowBuilder builder("w");
  builder.add_task({.id = "a", .time = std::move(time), .needs = needs});
  return std::move(builder).build();
}

std::string task_error(const TaskNeeds& needs, const TimeSpec& time = TimeSpec::fixed(1)) {
  return error_of([&] { flow_of(needs, time); });
}

Cluster cluster_of(std::vector<NodeType> types, std::string name = "c") {
  Cluster cluster{.name = std::move(name), .node_types = std::move(types)};
  for (const NodeType& type : cluster.node_types) cluster.processors += type.count * type.cores;
  return cluster;
}

std::string cluster_error(const Cluster& cluster) {
  return error_of([&] { Platform(0, {cluster}); });
}

std::string problem_error(const Workflow& workflow, std::vector<Cluster> clusters) {
  return error_of([&] { Problem({workflow}, Platform(0, std::move(clusters))); });
}

TEST(TaskNeeds, AreThoseThatWereGiven) {
  const TaskNeeds needs{.memory = 4 * kGibibyte,
                        .gpus = 2,
                        .min_nodes = 1,
                        .max_nodes = 3,
                        .features = {"a100", "infiniband"}};
  const Workflow flow = flow_of(needs);
  EXPECT_TRUE(flow.has_needs());
  EXPECT_EQ(flow.needs(0), needs);
  EXPECT_FALSE(flow_of({}).has_needs());
  EXPECT_EQ(flow_of({}).needs(0), TaskNeeds{});
}

TEST(TaskNeeds, OutOfRangeAreRefused) {
  EXPECT_EQ(task_error({.memory = -1}), "task \"a\": memory must be between 0 and 1024P, found -1");
  EXPECT_EQ(task_error({.memory = kMaxMemory}), "no error");
  EXPECT_EQ(task_error({.memory_per_processor = kMaxMemory + 1}),
            "task \"a\": memory_per_processor must be between 0 and 1024P, found "
            "1152921504606846977");
  EXPECT_EQ(task_error({.memory = 1, .memory_per_processor = 1}),
            "task \"a\": give memory or memory_per_processor, not both");
  EXPECT_EQ(task_error({.gpus = -1}), "task \"a\": gpus must be between 0 and 10000000, found -1");
  EXPECT_NE(task_error({.gpus = kMaxProcessors + 1}), "no error");
  EXPECT_EQ(task_error({.features = {"x", ""}}),
            "task \"a\": requires: a feature has an empty name");
  EXPECT_EQ(task_error({.features = {"x\ny"}}),
            "task \"a\": requires: a feature has a control character in its name; remove it");
}

TEST(TaskNeeds, NodesAreARangeFromOneOn) {
  EXPECT_EQ(task_error({.min_nodes = 3, .max_nodes = 2}),
            "task \"a\": nodes: max 2 is below min 3");
  EXPECT_EQ(task_error({.min_nodes = 1}), "task \"a\": nodes: max 0 is below min 1");
  for (const auto& [min, max] :
       std::vector<std::pair<Count, Count>>{{0, 1}, {-1, 1}, {-2, -1}, {1, kMaxProcessors + 1}}) {
    EXPECT_EQ(task_error({.min_nodes = min, .max_nodes = max}),
              "task \"a\": nodes must be between 1 and 10000000")
        << min << " to " << max;
  }
  EXPECT_EQ(task_error({.min_nodes = 1, .max_nodes = kMaxProcessors}), "no error");
}

TEST(TaskNeeds, EachNodeGivesAProcessor) {
  const TaskNeeds four{.min_nodes = 4, .max_nodes = 8};
  const std::string error =
      "task \"a\": it runs on at most 3 processors, but needs 4 nodes, with at least one processor "
      "on each";
  EXPECT_EQ(task_error(four, TimeSpec::fixed(1, 3)), error);
  EXPECT_EQ(task_error(four, TimeSpec::per_resource({{"r", 1}}, 3)), error);
  EXPECT_EQ(task_error(four, TimeSpec::amdahl(1, 0, {1, 3})), error);
  EXPECT_EQ(task_error(four, TimeSpec::table({{1, 9}, {3, 5}, {6, 4}}, {1, 5})), error);
  EXPECT_EQ(task_error(four, TimeSpec::fixed(1, 4)), "no error");
  // A moldable task never gets fewer.
  EXPECT_EQ(flow_of(four, TimeSpec::amdahl(1, 0, {2, 9})).time(0).min_procs(), 4);
  EXPECT_EQ(flow_of(four, TimeSpec::amdahl(1, 0, {5, 9})).time(0).min_procs(), 5);
  const Workflow measured = flow_of(four, TimeSpec::table({{1, 9}, {3, 5}, {6, 7}, {8, 6}}));
  EXPECT_EQ(measured.time(0).min_procs(), 6) << "3 is faster, but too few";
  EXPECT_EQ(measured.time(0).max_procs(), 8);
}

TEST(NodeTypes, OutOfRangeAreRefused) {
  const auto error_with = [](const NodeType& type) {
    return cluster_error({.name = "c", .processors = 8, .node_types = {{1, 8}, type}});
  };
  EXPECT_EQ(error_with({.count = 0}),
            "cluster \"c\": node type 2: count must be from 1 to 10000000, found 0");
  EXPECT_EQ(error_with({.cores = -1}),
            "cluster \"c\": node type 2: cores must be from 1 to 10000000, found -1");
  EXPECT_EQ(error_with({.memory = kMaxMemory + 1}),
            "cluster \"c\": node type 2: memory must be from 0 to 1024P, found "
            "1152921504606846977");
  EXPECT_EQ(error_with({.gpus = -1}),
            "cluster \"c\": node type 2: gpus must be from 0 to 10000000, found -1");
  EXPECT_EQ(error_with({.features = {""}}),
            "cluster \"c\": node type 2: a feature has an empty name");
  EXPECT_EQ(error_with({.features = {"\x1b"}}),
            "cluster \"c\": node type 2: a feature has a control character in its name");
}

TEST(NodeTypes, TogetherMakeUpTheCluster) {
  EXPECT_EQ(cluster_error({.name = "c", .processors = 24, .node_types = {{2, 8}, {1, 8}}}),
            "no error");
  EXPECT_EQ(cluster_error({.name = "c", .processors = 8, .node_types = {{2, 8}, {1, 8}}}),
            "cluster \"c\": its nodes have 24 cores together, but it has 8 processors");
  const NodeType huge{.count = 10'000'000, .cores = 10'000'000};
  EXPECT_EQ(
      cluster_error({.name = "c", .processors = 8, .node_types = {huge}}),
      "cluster \"c\": its nodes have 100000000000000 cores together, but it has 8 processors");
  EXPECT_EQ(cluster_error(cluster_of({{.count = 5'000'000, .gpus = 3}})),
            "cluster \"c\": its nodes have 15000000 GPUs together; at most 10000000 are allowed");
  EXPECT_EQ(cluster_error(cluster_of({{.count = 4, .memory = kMaxMemory / 4}})), "no error");
  EXPECT_EQ(cluster_error(cluster_of({{.count = 4, .memory = kMaxMemory / 4}, {.memory = 1}})),
            "cluster \"c\": its nodes have more than 1024P of memory together");
  EXPECT_EQ(cluster_error(cluster_of(std::vector<NodeType>(64))), "no error");
  EXPECT_EQ(cluster_error(cluster_of(std::vector<NodeType>(65))),
            "cluster \"c\": it has 65 types of nodes; at most 64 are allowed");
}

TEST(NodeTypes, SayHowManyCoresANodeHas) {
  EXPECT_EQ(Platform(0, {cluster_of({{4, 8}, {2, 8}})}).clusters()[0].cores_per_node, 8);
  EXPECT_EQ(Platform(0, {cluster_of({{4, 8}, {2, 4}})}).clusters()[0].cores_per_node, 1);
  const Cluster plain{.name = "c", .processors = 8, .cores_per_node = 4};
  EXPECT_EQ(Platform(0, {plain}).clusters()[0].cores_per_node, 4);
  EXPECT_TRUE(Platform(0, {plain}).clusters()[0].node_types.empty());
}

// Two nodes with four GPUs, and eight large ones without.
std::vector<NodeType> two_types() {
  return {{.count = 2, .cores = 8, .memory = 64 * kGibibyte, .gpus = 4, .features = {"a100"}},
          {.count = 8, .cores = 16, .memory = 256 * kGibibyte, .features = {"infiniband"}}};
}

TEST(ProblemOfNodes, RefusesWhatNoNodeCanHold) {
  const auto refuses = [](const TaskNeeds& needs, const TimeSpec& time, const std::string& why) {
    EXPECT_EQ(problem_error(flow_of(needs, time), {cluster_of(two_types())}),
              "workflow \"w\": task \"a\" " + why);
  };
  refuses({.gpus = 5}, TimeSpec::fixed(1),
          "needs 5 gpus on a node, but the nodes with most have 4");
  refuses({.memory = 300 * kGibibyte}, TimeSpec::fixed(1),
          "needs 300G of memory on a node, but the nodes with most have 256G");
  refuses({.memory = 100 * kGibibyte, .gpus = 1}, TimeSpec::fixed(1),
          "needs 100G of memory on a node, but the nodes with 1 gpu have at most 64G");
  refuses({.min_nodes = 11, .max_nodes = 20}, TimeSpec::fixed(1, 11),
          "needs 11 nodes, but there are 10");
  refuses({.gpus = 1, .min_nodes = 1, .max_nodes = 1}, TimeSpec::fixed(1, 9),
          "needs 9 cores on a node, but the nodes with 1 gpu have at most 8");
  EXPECT_EQ(problem_error(flow_of({.gpus = 4}, TimeSpec::fixed(1, 16)), {cluster_of(two_types())}),
            "no error");
}

TEST(ProblemOfNodes, ListsTheFeaturesThatThereAre) {
  EXPECT_EQ(
      problem_error(flow_of({.features = {"a100", "infinband"}}), {cluster_of(two_types())}),
      "workflow \"w\": task \"a\" requires \"infinband\", but no node has this feature; known "
      "are \"a100\" and \"infiniband\"");
  EXPECT_EQ(problem_error(flow_of({.features = {"a100"}}), {cluster_of({{2, 8}})}),
            "workflow \"w\": task \"a\" requires \"a100\", but no node has this feature; known are "
            "none");
  NodeType many{.count = 1};
  for (char c = 'a'; c < 'a' + 12; ++c) many.features.emplace_back(1, c);
  EXPECT_EQ(problem_error(flow_of({.features = {"x"}}), {cluster_of({many})}),
            "workflow \"w\": task \"a\" requires \"x\", but no node has this feature; known are "
            "\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\", \"i\", \"j\" and 2 more");
  // Each is known, but not together.
  EXPECT_NE(problem_error(flow_of({.features = {"a100", "infiniband"}}), {cluster_of(two_types())})
                .find("no node has all of these"),
            std::string::npos);
}

TEST(ProblemOfNodes, SaysWhatToWriteWhereNodesAreNotDescribed) {
  const Cluster plain{.name = "kth", .processors = 8, .cores_per_node = 4};
  EXPECT_EQ(problem_error(flow_of({.gpus = 1}), {plain}), "no error") << "GPUs do not count";
  EXPECT_EQ(problem_error(flow_of({.features = {"a100"}}), {plain}),
            "workflow \"w\": task \"a\" requires \"a100\", but cluster \"kth\" says nothing about "
            "the features of its nodes; give it node_types in a cluster file");
  const Workflow flow =
      flow_of({.memory = kMaxMemory, .min_nodes = 3, .max_nodes = 3}, TimeSpec::fixed(1, 8));
  EXPECT_EQ(problem_error(flow, {plain}), "no error") << "only processors count";
}

TEST(ProblemOfNodes, OneOfSeveralClustersIsEnough) {
  const Cluster plain{.name = "plain", .processors = 500};  // says nothing of its nodes
  const Cluster small = cluster_of({{2, 4}}, "small");
  const Cluster large = cluster_of(two_types(), "large");
  EXPECT_EQ(problem_error(flow_of({.gpus = 4}), {small, large}), "no error");
  EXPECT_EQ(problem_error(flow_of({.gpus = 5}), {small, large}),
            "workflow \"w\": task \"a\" needs 5 gpus on a node, but the nodes with most have 4 "
            "(cluster \"large\")");
  const Problem problem({flow_of({.gpus = 4})}, Platform(0, {plain, small, large}));
  EXPECT_TRUE(problem.allows(0, 0, 0, 1));
  EXPECT_FALSE(problem.allows(0, 0, 1, 1));
  EXPECT_TRUE(problem.allows(0, 0, 2, 1));
}

TEST(ProblemOfNodes, AllowsTheProcessorsThatIdleNodesCanHold) {
  const Workflow flow =
      flow_of({.memory_per_processor = 16 * kGibibyte, .gpus = 1}, TimeSpec::amdahl(1, 0));
  const Problem problem({flow}, Platform(0, {cluster_of(two_types())}));
  for (Count procs = 1; procs <= 150; ++procs) {
    // Four on each node with GPUs, of which it takes one, or two as far as they go.
    EXPECT_EQ(problem.allows(0, 0, 0, procs), procs <= 4 || procs == 8) << procs;
  }
  const Workflow any = flow_of({}, TimeSpec::amdahl(1, 0));
  const Problem plain({any}, Platform(0, {cluster_of({{1, 8}, {4, 1}})}));
  for (Count procs = 1; procs <= 13; ++procs) {
    EXPECT_EQ(plain.allows(0, 0, 0, procs), procs <= 8) << procs << ": on 12 cores, but uneven";
  }
}

}  // namespace
}  // namespace dovetail
