#include "dovetail/workflow.hpp"

#include <gtest/gtest.h>

#include "dovetail/error.hpp"

namespace dovetail {
namespace {

std::string error_of(WorkflowBuilder builder) {
  try {
    std::move(builder).build();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

WorkflowBuilder with_tasks(int count) {
  WorkflowBuilder builder("w");
  for (int i = 0; i < count; ++i) {
    builder.add_task({.id = "t" + std::to_string(i), .time = TimeSpec::fixed(1)});
  }
  return builder;
}

std::vector<TaskId> list(std::span<const TaskId> tasks) { return {tasks.begin(), tasks.end()}; }

TEST(Workflow, KeepsTasksInTheOrderGiven) {
  WorkflowBuilder builder("flow");
  builder.add_task({.id = "z", .time = TimeSpec::fixed(1), .run = "echo z"});
  builder.add_task({.id = "a", .time = TimeSpec::fixed(2)});
  const Workflow workflow = std::move(builder).build();
  EXPECT_EQ(workflow.name(), "flow");
  EXPECT_EQ(workflow.id(0), "z");
  EXPECT_EQ(workflow.run(0), "echo z");
  EXPECT_EQ(workflow.run(1), "");
  EXPECT_EQ(workflow.find("a"), TaskId{1});
  EXPECT_EQ(workflow.find("b"), std::nullopt);
}

TEST(Workflow, KnowsNeighboursBothWaysInOrderOfNumbers) {
  WorkflowBuilder builder = with_tasks(4);
  builder.add_edge(3, 0);
  builder.add_edge(1, 0);
  builder.add_edge(3, 2);
  const Workflow workflow = std::move(builder).build();
  EXPECT_EQ(workflow.edge_count(), 3U);
  EXPECT_EQ(list(workflow.predecessors(0)), (std::vector<TaskId>{1, 3}));
  EXPECT_EQ(list(workflow.successors(3)), (std::vector<TaskId>{0, 2}));
  EXPECT_TRUE(workflow.predecessors(3).empty());
}

TEST(Workflow, OrderIsTopologicalWithLowerNumbersFirst) {
  WorkflowBuilder builder = with_tasks(5);
  builder.add_edge(4, 1);
  builder.add_edge(1, 0);
  const Workflow workflow = std::move(builder).build();
  EXPECT_EQ(list(workflow.topological_order()), (std::vector<TaskId>{2, 3, 4, 1, 0}));
  EXPECT_EQ(workflow.levels(), (std::vector<std::uint32_t>{2, 1, 0, 0, 0}));
}

TEST(Workflow, AnEdgeGivenTwiceCountsOnceWithTheLongerTransfer) {
  WorkflowBuilder builder = with_tasks(3);
  builder.add_edge(0, 2, 5);
  builder.add_edge(1, 2, 0);
  builder.add_edge(0, 2, 9);
  builder.add_edge(0, 2, 1);
  const Workflow workflow = std::move(builder).build();
  EXPECT_EQ(workflow.edge_count(), 2U);
  const auto transfers = workflow.transfers_in(2);
  EXPECT_EQ(std::vector<Duration>(transfers.begin(), transfers.end()),
            (std::vector<Duration>{9, 0}));
  EXPECT_TRUE(workflow.has_transfers());
}

TEST(Workflow, PrintsOneCycle) {
  WorkflowBuilder builder = with_tasks(6);
  builder.add_edge(0, 2);
  builder.add_edge(2, 4);
  builder.add_edge(4, 3);
  builder.add_edge(3, 2);
  builder.add_edge(3, 5);
  EXPECT_EQ(error_of(std::move(builder)), "workflow \"w\" has a cycle: t2 -> t4 -> t3 -> t2");
}

TEST(Workflow, ShortensALongCycle) {
  WorkflowBuilder builder = with_tasks(100);
  for (TaskId task = 0; task < 100; ++task) builder.add_edge(task, (task + 1) % 100);
  const std::string error = error_of(std::move(builder));
  EXPECT_NE(error.find("t7 -> ... (92 more) -> t0"), std::string::npos) << error;
}

TEST(Workflow, RefusesRepeatedIdsSelfLoopsAndNothingAtAll) {
  WorkflowBuilder builder = with_tasks(2);
  EXPECT_THROW(builder.add_task({.id = "t1", .time = TimeSpec::fixed(1)}), InputError);
  EXPECT_THROW(builder.add_task({.id = "", .time = TimeSpec::fixed(1)}), InputError);
  EXPECT_THROW(builder.add_task({.id = "a\nb", .time = TimeSpec::fixed(1)}), InputError);
  EXPECT_THROW(builder.add_edge(1, 1), InputError);
  EXPECT_NE(error_of(WorkflowBuilder("e")).find("no tasks"), std::string::npos);
}

TEST(Workflow, TimesSurviveARoundTripThroughTheirSpec) {
  WorkflowBuilder builder;
  const TimeSpec specs[] = {TimeSpec::fixed(3, 2), TimeSpec::amdahl(5, 0.25, {2, 9}),
                            TimeSpec::amdahl(5, 0.25), TimeSpec::table({{1, 9}, {4, 3}}),
                            TimeSpec::per_resource({{"r1", 2}, {"r2", 4}})};
  for (const TimeSpec& spec : specs) {
    builder.add_task({.id = "t" + std::to_string(builder.size()), .time = spec});
  }
  const Workflow workflow = std::move(builder).build();
  for (TaskId task = 0; task < workflow.size(); ++task) {
    const TimeSpec spec = workflow.time_spec(task);
    EXPECT_EQ(spec.kind, specs[task].kind);
    EXPECT_EQ(spec.seconds, specs[task].seconds);
    EXPECT_EQ(spec.alpha, specs[task].alpha);
    EXPECT_EQ(spec.measured, specs[task].measured);
    EXPECT_EQ(spec.on_resource, specs[task].on_resource);
  }
  EXPECT_EQ(workflow.time_spec(2).processors.max, 0);
}

TEST(Workflow, AMillionTasksAndThreeMillionEdgesFitIntoAGibibyte) {
  constexpr TaskId kTasks = 1'000'000;
  WorkflowBuilder builder("large");
  for (TaskId task = 0; task < kTasks; ++task) {
    builder.add_task({.id = "task_" + std::to_string(task), .time = TimeSpec::amdahl(task, 0.1)});
    for (const TaskId back : {1U, 17U, 1009U}) {
      if (task >= back) builder.add_edge(task - back, task);
    }
  }
  const Workflow workflow = std::move(builder).build();
  EXPECT_EQ(workflow.edge_count(), 3U * kTasks - 1 - 17 - 1009);
  EXPECT_EQ(workflow.find("task_999999"), kTasks - 1);
  EXPECT_LT(workflow.memory_bytes(), std::size_t{256} << 20);
}

TEST(Workflow, TheKindOfATaskIsItsIdWithoutANumberUnlessItSaysSo) {
  EXPECT_EQ(kind_of_id("blur_17"), "blur");
  EXPECT_EQ(kind_of_id("blur17"), "blur");
  EXPECT_EQ(kind_of_id("t2_9"), "t2");
  EXPECT_EQ(kind_of_id("solve"), "solve");
  EXPECT_EQ(kind_of_id("17"), "17");
  EXPECT_EQ(kind_of_id("_17"), "_17");
  EXPECT_EQ(kind_of_id("a-b"), "a-b");
  WorkflowBuilder builder("w");
  builder.add_task({.id = "a_1", .time = TimeSpec::fixed(1), .execution = {.kind = "special"}});
  builder.add_task({.id = "a_2", .time = TimeSpec::fixed(1)});
  const Workflow workflow = std::move(builder).build();
  EXPECT_EQ(workflow.kind(0), "special");
  EXPECT_EQ(workflow.kind(1), "a");
}

}  // namespace
}  // namespace dovetail
