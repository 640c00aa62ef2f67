// What workflow and cluster files say about nodes.
#include <gtest/gtest.h>

#include "dovetail/io.hpp"
#include "dovetail/problem.hpp"
#include "support/documents.hpp"
#include "support/file_checks.hpp"

namespace dovetail {
namespace {

using testing::error_of;

TaskNeeds needs_in(const std::string& fields) {
  return parse_workflow("tasks: [{id: a, time: 5, " + fields + "}]", "f.yaml").needs(0);
}
TaskTime time_in(const std::string& fields) {
  static Workflow flow;
  flow = parse_workflow("tasks: [{id: a, " + fields + "}]", "f.yaml");
  return flow.time(0);
}
std::string task_error(const std::string& fields) {
  const std::string text = "tasks:\n  - {id: a, " + fields + "}\n";
  const std::string error = error_of([&] { parse_workflow(text, "f.yaml"); });
  const std::string place = "f.yaml:2: task \"a\": ";
  return error.starts_with(place) ? error.substr(place.size()) : error;
}

Cluster cluster_in(const std::string& fields) {
  return parse_platform("clusters: [{name: c, " + fields + "}]", "c.yaml").clusters()[0];
}
std::string cluster_error(const std::string& fields) {
  const std::string text = "clusters:\n  - {name: c, " + fields + "}\n";
  const std::string error = error_of([&] { parse_platform(text, "c.yaml"); });
  const std::string place = "c.yaml:2: cluster \"c\": ";
  return error.starts_with(place) ? error.substr(place.size()) : error;
}

const std::string kSizeExpected =
    "expected a size such as 512M, 4G or 1.5T, or a number of bytes, above 0 and at most 1024P, "
    "found ";

TEST(TaskFields, OfNeedsAreRead) {
  EXPECT_EQ(needs_in("memory: 4G, gpus: 2, nodes: 3, processors: 6, requires: [a100, ib]"),
            (TaskNeeds{.memory = 4 * kGibibyte,
                       .gpus = 2,
                       .min_nodes = 3,
                       .max_nodes = 3,
                       .features = {"a100", "ib"}}));
  EXPECT_EQ(needs_in("memory_per_processor: 512M, requires: a100"),
            (TaskNeeds{.memory_per_processor = 512 * kMebibyte, .features = {"a100"}}));
  EXPECT_EQ(needs_in("memory: 1.5T").memory, 1536 * kGibibyte);
  EXPECT_EQ(needs_in("memory: 1000").memory, 1000);
  EXPECT_EQ(needs_in("memory: '1000'").memory, 1000);
  EXPECT_EQ(needs_in("gpus: 0, requires: [], memory: null"), TaskNeeds{});
  EXPECT_FALSE(parse_workflow("tasks: [{id: a, time: 5, gpus: 0}]", "f").has_needs());
}

TEST(TaskFields, OfNeedsMayBeJson) {
  const Workflow flow = parse_workflow(
      R"({"tasks": [{"id": "a", "time": 5, "memory": 4294967296, "nodes": {"min": 1, "max": 2},
          "requires": "x"},
          {"id": "b", "time": 5, "memory_per_processor": "4G", "gpus": 1}]})",
      "f.json");
  EXPECT_EQ(
      flow.needs(0),
      (TaskNeeds{.memory = 4 * kGibibyte, .min_nodes = 1, .max_nodes = 2, .features = {"x"}}));
  EXPECT_EQ(flow.needs(1), (TaskNeeds{.memory_per_processor = 4 * kGibibyte, .gpus = 1}));
}

TEST(TaskFields, NodesAreANumberOrARange) {
  const auto nodes = [](const std::string& range) {
    const TaskNeeds needs = needs_in("processors: 9, nodes: " + range);
    return std::pair(needs.min_nodes, needs.max_nodes);
  };
  EXPECT_EQ(nodes("1"), std::pair(1, 1));
  EXPECT_EQ(nodes("{min: 2, max: 8}"), std::pair(2, 8));
  EXPECT_EQ(nodes("{max: 8}"), std::pair(1, 8));
  EXPECT_EQ(nodes("{min: 2}"), std::pair(2, kMaxProcessors));
}

TEST(TaskFields, NodesGiveATaskOneProcessorEach) {
  EXPECT_EQ(time_in("time: 5, nodes: 4").min_procs(), 4);
  EXPECT_EQ(time_in("time: 5, nodes: {min: 2, max: 8}").max_procs(), 2);
  EXPECT_EQ(time_in("time_on: {r: 5}, nodes: 4").min_procs(), 4);
  EXPECT_EQ(time_in("time: 5, nodes: 4, processors: 16").min_procs(), 16);
  EXPECT_EQ(time_in("time: 5, alpha: 0, nodes: 4").min_procs(), 4);
  EXPECT_EQ(time_in("time: 5, alpha: 0, nodes: 4, processors: {max: 6}").min_procs(), 4);
  EXPECT_EQ(task_error("time: 5, nodes: 4, processors: 3"),
            "processors: 3 processors for 4 nodes; each node gives at least one");
  EXPECT_EQ(task_error("time_on: {r: 5}, nodes: {min: 2}, processors: 1"),
            "processors: 1 processor for 2 nodes; each node gives at least one");
  EXPECT_EQ(task_error("time: 5, alpha: 0, nodes: 4, processors: {max: 3}"),
            "it runs on at most 3 processors, but needs 4 nodes, with at least one processor on "
            "each");
}

TEST(TaskFields, NodesGiveATaskWithoutATimeOneProcessorEach) {
  const auto asked = [](const std::string& fields) {
    std::vector<UntimedTask> questions;
    const auto answer = [&](const UntimedTask& task) {
      questions.push_back(task);
      return std::optional(task.is_moldable ? TimeSpec::amdahl(1, 0, task.processors)
                                            : TimeSpec::fixed(1, task.processors.min));
    };
    parse_workflow("tasks: [{id: a, run: x, " + fields + "}]", "f.yaml", {.missing_time = answer});
    return std::pair(questions.at(0).processors.min, questions.at(0).processors.max);
  };
  EXPECT_EQ(asked("memory: 1G"), std::pair(1, 1));
  EXPECT_EQ(asked("nodes: 3"), std::pair(3, 3));
  EXPECT_EQ(asked("nodes: 3, processors: {max: 8}"), std::pair(3, 8));
  EXPECT_EQ(asked("nodes: 3, processors: {min: 5}"), std::pair(5, 0));
  EXPECT_EQ(error_of([&] { asked("nodes: 3, processors: 2"); }),
            "f.yaml:1: task \"a\": processors: 2 processors for 3 nodes; each node gives at least "
            "one");
}

TEST(TaskFields, OfNeedsThatCannotBeAreErrors) {
  for (const char* size : {"\"4 GB?\"", "-1", "\"-4G\"", "0", ".inf", "\"4X\"", "\"\""}) {
    const std::string found = size[0] == '.' ? "\"" + std::string(size) + "\"" : size;
    EXPECT_EQ(task_error("time: 5, memory: " + std::string(size)),
              "memory: " + kSizeExpected + found);
  }
  EXPECT_EQ(task_error("time: 5, memory: [4G]"), "memory: " + kSizeExpected + "a list");
  EXPECT_EQ(task_error("time: 5, memory_per_processor: 2097152T"),
            "memory_per_processor: " + kSizeExpected + "\"2097152T\"");
  EXPECT_EQ(task_error("time: 5, memory: 1G, memory_per_processor: 1G"),
            "memory_per_processor: give \"memory\" or \"memory_per_processor\", not both");
  EXPECT_EQ(task_error("time: 5, gpus: -1"),
            "gpus: expected a whole number from 0 to 10000000, found -1");
  EXPECT_EQ(task_error("time: 5, gpus: 0.5"),
            "gpus: expected a whole number from 0 to 10000000, found 0.5");
  EXPECT_EQ(task_error("time: 5, nodes: 0"),
            "nodes: expected a whole number from 1 to 10000000, found 0");
  EXPECT_EQ(task_error("time: 5, nodes: {min: 3, max: 2}"), "nodes: max: 2 is below min 3");
  EXPECT_EQ(task_error("time: 5, nodes: {low: 3}"),
            "nodes: unknown key \"low\"; known keys are min, max");
  EXPECT_EQ(task_error("time: 5, requires: [a, '']"),
            "requires: expected the name of a feature, found empty text");
  EXPECT_EQ(task_error("time: 5, requires: [[a]]"), "expected text, found a list");
  EXPECT_EQ(task_error("time: 5, requires: \"a\\tb\""),
            "requires: a feature has a control character in its name; remove it");
}

TEST(TaskFields, OfNeedsAreWrittenShort) {
  const Workflow flow = parse_workflow(
      "{name: w, tasks: [{id: a, time: 5, memory: 1536M, gpus: 1, nodes: {min: 2}, requires: x},\n"
      "{id: b, time: 5, memory_per_processor: 1000, nodes: 1}]}",
      "f.yaml");
  EXPECT_EQ(format_workflow(flow, WorkflowFormat::yaml),
            "name: w\ntasks:\n"
            "  - id: a\n    time: 5\n    processors: 2\n    memory: 1.5G\n    gpus: 1\n"
            "    nodes: {min: 2}\n    requires: [x]\n"
            "  - id: b\n    time: 5\n    memory_per_processor: 1000\n    nodes: 1\n");
  const std::string json = format_workflow(flow, WorkflowFormat::json);
  EXPECT_NE(json.find(R"("memory":"1.5G")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("memory_per_processor":1000)"), std::string::npos) << json;
}

TEST(ClusterFields, OfEqualNodes) {
  EXPECT_TRUE(cluster_in("nodes: 4, cores_per_node: 8").node_types.empty())
      << "only processors count";
  const Cluster both =
      cluster_in("nodes: 4, cores_per_node: 8, memory_per_node: 64G, gpus_per_node: 2");
  EXPECT_EQ(both.processors, 32);
  EXPECT_EQ(both.cores_per_node, 8);
  EXPECT_EQ(both.node_types,
            (std::vector<NodeType>{{.count = 4, .cores = 8, .memory = 64 * kGibibyte, .gpus = 2}}));
  EXPECT_EQ(cluster_in("nodes: 4, gpus_per_node: 0").node_types, (std::vector<NodeType>{{4, 1}}));
  EXPECT_EQ(cluster_error("processors: 4, memory_per_node: 1G"),
            "memory_per_node: it goes with \"nodes\", not with \"processors\"");
  EXPECT_EQ(cluster_error("processors: 4, cores_per_node: 2, gpus_per_node: 1"),
            "gpus_per_node: it goes with \"nodes\", not with \"processors\"");
  EXPECT_EQ(cluster_error("nodes: 4, memory_per_node: much"),
            "memory_per_node: " + kSizeExpected + "\"much\"");
  EXPECT_EQ(cluster_error("nodes: 4, gpus_per_node: -1"),
            "gpus_per_node: expected a whole number from 0 to 10000000, found -1");
  EXPECT_EQ(cluster_error("nodes: 4, gpu_per_node: 1"),
            "unknown key \"gpu_per_node\"; did you mean \"gpus_per_node\"?");
  EXPECT_NE(cluster_error("memory_per_node: 1G").find("its size is missing"), std::string::npos);
}

TEST(ClusterFields, OfSeveralTypes) {
  const Cluster cluster = cluster_in(
      "node_types: [{count: 4, cores: 64, memory: 512G, gpus: 4, features: [a100, ib]}, "
      "{cores: 16, features: fast}]");
  EXPECT_EQ(cluster.processors, 272);
  EXPECT_EQ(cluster.cores_per_node, 1);
  EXPECT_EQ(cluster.node_types,
            (std::vector<NodeType>{{.count = 4,
                                    .cores = 64,
                                    .memory = 512 * kGibibyte,
                                    .gpus = 4,
                                    .features = {"a100", "ib"}},
                                   {.count = 1, .cores = 16, .features = {"fast"}}}));
  for (const char* other : {"processors", "nodes", "cores_per_node", "gpus_per_node"}) {
    EXPECT_EQ(cluster_error(std::string(other) + ": 4, node_types: [{cores: 4}]"),
              std::string(other) + ": give \"node_types\" or \"" + other + "\", not both");
  }
}

TEST(ClusterFields, OfTypesThatCannotBeAreErrors) {
  EXPECT_EQ(cluster_error("node_types: []"), "node_types: expected at least one type of node");
  EXPECT_EQ(cluster_error("node_types: {cores: 4}"),
            "node_types: expected a list, found a mapping");
  EXPECT_EQ(cluster_error("node_types: [{count: 4}]"), "\"cores\" is missing");
  EXPECT_EQ(cluster_error("node_types: [{cores: 4, gpu: 1}]"),
            "unknown key \"gpu\"; did you mean \"gpus\"?");
  EXPECT_EQ(cluster_error("node_types: [{cores: 4, memory: -4G}]"),
            "memory: " + kSizeExpected + "\"-4G\"");
  EXPECT_EQ(cluster_error("node_types: [{count: 10000000, cores: 2}]"),
            "node_types: 20000000 processors in all; at most 10000000 are allowed");
  EXPECT_EQ(cluster_error("nodes: 5000000, gpus_per_node: 3"),
            "c.yaml:1: cluster \"c\": its nodes have 15000000 GPUs together; at most 10000000 are "
            "allowed");
  std::string types;
  for (int i = 0; i < 64; ++i) types += "{cores: 1}, ";
  EXPECT_EQ(cluster_error("node_types: [" + types + "]"), "no error");
  EXPECT_EQ(cluster_error("node_types: [" + types + "{cores: 1}]"),
            "node_types: at most 64 are allowed");
}

TEST(ClusterFields, AreWrittenAsTheyAreBestRead) {
  const auto written = [](const std::string& fields) {
    const Platform platform = parse_platform("clusters: [{name: c, " + fields + "}]", "c");
    for (const bool json : {false, true}) {
      testing::expect_same(platform, parse_platform(format_platform(platform, json), "c"));
    }
    const std::string text = format_platform(platform, false);
    return text.substr(text.find("name: c\n") + 8);
  };
  EXPECT_EQ(written("nodes: 4, cores_per_node: 8"), "    processors: 32\n    cores_per_node: 8\n");
  EXPECT_EQ(
      written("nodes: 4, cores_per_node: 8, memory_per_node: 64G, gpus_per_node: 2"),
      "    nodes: 4\n    cores_per_node: 8\n    memory_per_node: 64G\n    gpus_per_node: 2\n");
  EXPECT_EQ(written("node_types: [{count: 4, cores: 8}]"),
            "    nodes: 4\n    cores_per_node: 8\n    gpus_per_node: 0\n");
  EXPECT_EQ(written("node_types: [{count: 4, cores: 1, features: a}, {cores: 2, memory: 1T}]"),
            "    node_types:\n      - {count: 4, cores: 1, features: [a]}\n"
            "      - {count: 1, cores: 2, memory: 1T}\n");
}

// The n-th YAML block below a heading of the page about files.
std::string documented_example(const std::string& heading, int number) {
  const std::string page = test::read_document("docs/formats.md");
  std::size_t begin = page.find("\n" + heading + "\n");
  for (; number > 0; --number) begin = page.find("```yaml\n", begin) + 8;
  return page.substr(begin, page.find("```", begin) - begin);
}

TEST(NodeFields, DocumentedExamplesFitTogether) {
  const Workflow flow =
      parse_workflow(documented_example("### What a task needs of nodes", 1), "formats.md");
  EXPECT_EQ(flow.size(), 4U);
  const Platform alike =
      parse_platform(documented_example("### Nodes of a cluster", 1), "formats.md");
  const Platform mixed =
      parse_platform(documented_example("### Nodes of a cluster", 2), "formats.md");
  EXPECT_EQ(alike.clusters()[0].node_types.size(), 1U);
  EXPECT_EQ(mixed.clusters()[0].node_types.size(), 2U);
  EXPECT_NO_THROW(Problem({flow}, mixed));
  EXPECT_EQ(error_of([&] { Problem({flow}, alike); }),
            "workflow \"cells\": task \"train\" requires \"a100\", but no node has this feature; "
            "known are none");
}

}  // namespace
}  // namespace dovetail
