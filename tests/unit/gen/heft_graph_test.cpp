#include "gen/heft_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "dovetail/problem.hpp"
#include "planners/pool/heterogeneous.hpp"
#include "support/file_checks.hpp"
#include "support/fingerprint.hpp"
#include "support/workflow_shape.hpp"

namespace dovetail::gen {
namespace {

PoolFlow drawn(const HeftGraphSpec& spec, const PoolCosts& costs = {}, std::uint64_t seed = 1) {
  Random random(seed);
  return heft_graph(spec, costs, random);
}

TEST(HeftGraph, EveryTaskBelowTheFirstLevelHasAParent) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const PoolFlow flow = drawn({.tasks = 60, .out_degree = 0.1}, {}, seed);
    const Workflow workflow = to_workflow(flow, 1, "flow");
    const auto levels = workflow.levels();
    // Entries are the first tasks, and no more than the widest level.
    const auto entries = std::ranges::count(levels, 0U);
    EXPECT_LE(entries, 14) << "seed " << seed;
    for (TaskId task = 0; task < workflow.size(); ++task) {
      EXPECT_EQ(workflow.predecessors(task).empty(), task < entries) << "seed " << seed;
      for (const TaskId child : workflow.successors(task)) EXPECT_GT(child, task);
    }
  }
}

TEST(HeftGraph, OnlyTheLastLevelIsWithoutChildren) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Workflow workflow =
        to_workflow(drawn({.tasks = 40, .out_degree = 0.1}, {}, seed), 1, "flow");
    bool is_last = false;
    for (TaskId task = 0; task < workflow.size(); ++task) {
      const bool is_exit = workflow.successors(task).empty();
      EXPECT_GE(is_exit, is_last) << "seed " << seed << ", task " << task;
      is_last = is_exit;
    }
    EXPECT_TRUE(is_last);
  }
}

TEST(HeftGraph, OutDegreeBoundsTheChildrenThatAreDrawn) {
  // Levels of one task: nobody has more children than were drawn.
  const PoolFlow flow = drawn({.tasks = 100, .out_degree = 0.05, .shape = 0.1});
  std::vector<int> children(100);
  std::set<std::pair<TaskId, TaskId>> known;
  for (const auto& [from, to, transfer] : flow.edges) {
    ++children[from];
    EXPECT_TRUE(known.emplace(from, to).second) << from << " -> " << to << " twice";
  }
  EXPECT_EQ(std::ranges::max(children), 5);
  EXPECT_EQ(std::ranges::count(children, 0), 1);
  // All later tasks may be children.
  const PoolFlow dense = drawn({.tasks = 100, .out_degree = 1, .shape = 0.1});
  EXPECT_GT(dense.edges.size(), 2000U);
}

TEST(HeftGraph, WidthsFollowTheShape) {
  const auto level_count = [](double shape) {
    std::size_t count = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const Workflow workflow = to_workflow(
          drawn({.tasks = 100, .out_degree = 0.01, .shape = shape}, {}, seed), 1, "flow");
      count += testing::level_widths(workflow).size();
    }
    return static_cast<double>(count) / 200;
  };
  // A mean width of shape x 10, but that the last level is cut.
  EXPECT_NEAR(level_count(1), 10.5, 1);
  EXPECT_NEAR(level_count(2), 5.4, 0.6);
  EXPECT_EQ(level_count(0.1), 100);
}

TEST(HeftGraph, CostsHaveTheirMeansAndSpreads) {
  const PoolFlow flow =
      drawn({.tasks = 2000, .out_degree = 0.002}, {.mean_seconds = 50, .ccr = 4, .beta = 0.5});
  double mean = 0;
  double transfer = 0;
  const std::vector<Duration> costs = flow.costs_on(7);
  for (std::size_t task = 0; task < flow.size(); ++task) {
    mean += to_seconds(costs[task]) / 2000;
    EXPECT_GE(to_seconds(costs[task]), 0.75 * flow.mean_seconds[task] - 0.001);
    EXPECT_LE(to_seconds(costs[task]), 1.25 * flow.mean_seconds[task] + 0.001);
    EXPECT_LE(flow.mean_seconds[task], 100);
  }
  for (const auto& edge : flow.edges) transfer += to_seconds(edge.transfer);
  EXPECT_NEAR(mean, 50, 3);
  EXPECT_NEAR(transfer / static_cast<double>(flow.edges.size()), 200, 8);
  EXPECT_NE(flow.costs_on(8), costs);
}

TEST(HeftGraph, NothingSpreadsWithoutBeta) {
  const PoolFlow flow = drawn({.tasks = 30}, {.beta = 0});
  EXPECT_EQ(flow.costs_on(0), flow.costs_on(41));
}

TEST(HeftGraph, TasksOfAnOperationCostTheSame) {
  Random random(1);
  const PoolFlow flow = wien2k_for_pool(30, {.ccr = 5}, random);
  EXPECT_EQ(flow.size(), 68U);
  EXPECT_EQ(flow.costs_on(3).size(), 10U);
  const Workflow workflow = to_workflow(flow, 4, "flow");
  EXPECT_EQ(testing::level_widths(workflow), (testing::Widths{1, 1, 30, 1, 30, 1, 1, 1, 1, 1}));
  const auto first = workflow.time_spec(*workflow.find("LAPW2_0"));
  EXPECT_EQ(workflow.time_spec(*workflow.find("LAPW2_29")).on_resource, first.on_resource);
  EXPECT_NE(workflow.time_spec(*workflow.find("LAPW1_0")).on_resource, first.on_resource);
  const auto transfers = workflow.transfers_in(*workflow.find("Sumpara_0"));
  ASSERT_EQ(transfers.size(), 30U);
  EXPECT_EQ(std::ranges::count(transfers, transfers[0]), 30);
}

TEST(HeftGraph, BlastHasTheSameLinesAsTheOtherOne) {
  Random random(1);
  const Workflow workflow = to_workflow(blast_for_pool(20, {}, random), 2, "flow");
  EXPECT_EQ(workflow.size(), 42U);
  const TaskId parse = *workflow.find("parse_17");
  ASSERT_EQ(workflow.predecessors(parse).size(), 1U);
  EXPECT_EQ(workflow.id(workflow.predecessors(parse)[0]), "blast_17");
}

TEST(HeftGraph, PoolsGrowByARoundedShareOfTheirStart) {
  const auto at_once = [](std::uint32_t resources, double share) {
    return joining_at_once({resources, 400, share});
  };
  EXPECT_EQ(at_once(10, 0.15), 2U);  // 1.5
  EXPECT_EQ(at_once(10, 0.25), 2U);  // 2.5
  EXPECT_EQ(at_once(30, 0.15), 4U);  // 4.5
  EXPECT_EQ(at_once(50, 0.15), 8U);  // 7.5
  EXPECT_EQ(at_once(50, 0.25), 12U);
  EXPECT_EQ(at_once(3, 0.1), 1U);
  EXPECT_EQ(at_once(100, 0.2), 20U);
}

TEST(HeftGraph, ResourcesJoinBeforeTheGivenTime) {
  const PoolSpec pool{.resources = 10, .interval_seconds = 400, .share = 0.2};
  EXPECT_EQ(join_times(pool, 0), std::vector<Time>(10, 0));
  EXPECT_EQ(join_times(pool, 400'000).size(), 10U);
  const std::vector<Time> times = join_times(pool, 800'001);
  ASSERT_EQ(times.size(), 14U);
  EXPECT_EQ(times[10], 400'000);
  EXPECT_EQ(times[11], 400'000);
  EXPECT_EQ(times[13], 800'000);

  const Platform platform = to_platform(pool, 800'001);
  ASSERT_EQ(platform.clusters().size(), 14U);
  EXPECT_EQ(platform.clusters()[0].name, "r1");
  EXPECT_EQ(platform.clusters()[0].joins, kBeginning);
  EXPECT_EQ(platform.clusters()[13].name, "r14");
  EXPECT_EQ(platform.clusters()[13].joins, 800'000);
  EXPECT_EQ(platform.clusters()[13].processors, 1);
}

// What the planners see is the same, be it through files or through arrays.
TEST(HeftGraph, WorkflowsHoldWhatTheArraysHold) {
  const PoolFlow flow = drawn({.tasks = 50, .out_degree = 0.2}, {.ccr = 2}, 9);
  const PoolSpec pool{.resources = 5, .interval_seconds = 100};
  const Platform platform = to_platform(pool, 250'000);
  const planning::CostGraph graph(
      Problem({to_workflow(flow, platform.clusters().size(), "flow")}, platform));
  ASSERT_EQ(graph.resource_count(), 7U);
  ASSERT_EQ(graph.edge_count(), flow.edges.size());
  for (planning::ResourceId resource = 0; resource < 7; ++resource) {
    const std::vector<Duration> costs = flow.costs_on(resource);
    for (TaskId task = 0; task < flow.size(); ++task) {
      EXPECT_EQ(graph.cost(task, resource), costs[task]);
    }
  }
  std::uint32_t edge = 0;
  for (TaskId task = 0; task < flow.size(); ++task) {
    for (const planning::CostGraph::Input& input : graph.inputs(task)) {
      EXPECT_EQ(input.from, flow.edges[edge].from);
      EXPECT_EQ(task, flow.edges[edge].to);
      EXPECT_EQ(input.transfer, flow.edges[edge].transfer);
      ++edge;
    }
  }
}

TEST(HeftGraph, IsTheSameForTheSameSeed) {
  const auto print = [](const PoolFlow& flow) {
    testing::Fingerprint sum;
    for (const auto& [from, to, transfer] : flow.edges) sum.add(from).add(to).add(transfer);
    for (const Duration cost : flow.costs_on(2)) sum.add(cost);
    return sum.value();
  };
  EXPECT_EQ(print(drawn({}, {}, 3)), 4771636067623328013ULL);
  Random random(3);
  EXPECT_EQ(print(blast_for_pool(7, {}, random)), 2815642921620771894ULL);
}

TEST(HeftGraph, RefusesWhatIsOutOfRange) {
  const auto error = [](const HeftGraphSpec& spec, const PoolCosts& costs) {
    return testing::error_of([&] { drawn(spec, costs); });
  };
  EXPECT_EQ(error({.tasks = 0}, {}), "tasks is 0; it must be between 1 and 10000000");
  EXPECT_EQ(error({.out_degree = 1.5}, {}), "out_degree is 1.5; it must be between 0 and 1");
  EXPECT_EQ(error({.tasks = 100'000, .out_degree = 1}, {}),
            "tasks times children is 10000000000; it must be between 1 and 100000000");
  EXPECT_EQ(error({}, {.beta = 3}), "beta is 3; it must be between 0 and 2");
  EXPECT_EQ(error({}, {.ccr = std::nan("")}), "ccr is nan; it must be between 0 and 1000");
  EXPECT_EQ(testing::error_of([] { join_times({.resources = 0}, 0); }),
            "resources is 0; it must be between 1 and 1000000");
  EXPECT_EQ(testing::error_of([] { join_times({.interval_seconds = 0.001}, 10'000'000); }),
            "resources with those that join is 20000008; it must be between 1 and 1000000");
}

}  // namespace
}  // namespace dovetail::gen
