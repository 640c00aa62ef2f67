#include "planners/ensemble/repeated_unit.hpp"

#include <gtest/gtest.h>

namespace dovetail::planning {
namespace {

// prepare -> model -> convert, and check beside the model.
Workflow sample_month() {
  WorkflowBuilder builder("month");
  const TaskId prepare = builder.add_task({.id = "prepare", .time = TimeSpec::fixed(10)});
  const TaskId model =
      builder.add_task({.id = "model", .time = TimeSpec::table({{4, 100}, {8, 60}})});
  const TaskId convert = builder.add_task({.id = "convert", .time = TimeSpec::fixed(20)});
  const TaskId look = builder.add_task({.id = "look", .time = TimeSpec::fixed(30, 2)});
  builder.add_edge(prepare, model);
  builder.add_edge(model, convert, 5 * kSecond);
  builder.add_edge(prepare, look);
  return std::move(builder).build();
}

planning::RepeatedUnit model_chain() {
  return planning::RepeatedUnit(sample_month(), std::vector<TaskId>{1});
}

TEST(RepeatedUnit, TheChainIsWhatTheNamedTasksNeed) {
  const planning::RepeatedUnit unit = model_chain();
  EXPECT_EQ(std::vector(unit.chain().begin(), unit.chain().end()), (std::vector<TaskId>{0, 1}));
  EXPECT_EQ(std::vector(unit.off_chain().begin(), unit.off_chain().end()),
            (std::vector<TaskId>{2, 3}));
  EXPECT_EQ(planning::RepeatedUnit(sample_month(), {}).chain().size(), 4U) << "without names: all";
}

TEST(RepeatedUnit, MonthsFollowTheEndOfTheChain) {
  const Workflow two = model_chain().repeated(12, "s1");
  ASSERT_EQ(two.size(), 48U);
  EXPECT_EQ(two.id(4), "02/prepare");
  const auto before = two.predecessors(*two.find("02/prepare"));
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(two.id(before[0]), "01/model");
  EXPECT_TRUE(two.predecessors(*two.find("01/prepare")).empty());
  EXPECT_EQ(two.transfers_in(*two.find("07/convert"))[0], 5 * kSecond);
  EXPECT_EQ(two.kind(*two.find("07/model")), "model");
}

TEST(UnitOnCluster, TheTimeOfAMonthIsThatOfTheChainInsideTheGroup) {
  const planning::RepeatedUnit unit = model_chain();
  const planning::UnitOnCluster there(unit, {.name = "c", .processors = 20, .speed = 2});
  ASSERT_EQ(there.layouts().size(), 2U) << "more processors than 8 gain nothing";
  EXPECT_EQ(there.layouts()[0].procs, 4);
  EXPECT_EQ(there.layouts()[0].time, 55 * kSecond);
  EXPECT_EQ(there.layouts()[1].procs, 8);
  EXPECT_EQ(there.layouts()[1].time, 35 * kSecond);
}

TEST(UnitOnCluster, OffChainTasksAreAsManyPostTasksAsHaveTheirWork) {
  const planning::RepeatedUnit unit = model_chain();
  const planning::UnitOnCluster there(unit, {.name = "c", .processors = 20});
  const planning::MonthProblem months = there.as_months(3, 5, 20, 2);
  EXPECT_EQ(months.post, 30 * kSecond) << "the longest";
  EXPECT_EQ(months.posts, 3) << "20 + 2 x 30 seconds of work";
  EXPECT_EQ(months.for_groups(), 18);
}

TEST(UnitOnCluster, SizesAreWholeNodesWhereTheyMustBe) {
  const planning::RepeatedUnit unit = model_chain();
  const planning::UnitOnCluster there(unit, {.name = "c", .processors = 20, .cores_per_node = 6},
                                      6);
  ASSERT_EQ(there.layouts().size(), 2U);
  EXPECT_EQ(there.layouts()[0].procs, 6);
  EXPECT_EQ(there.layouts()[1].procs, 12);
}

TEST(UnitOnCluster, HasNoSizesWhereATaskDoesNotFit) {
  const planning::RepeatedUnit unit = model_chain();
  EXPECT_TRUE(planning::UnitOnCluster(unit, {.name = "c", .processors = 3}).layouts().empty());
}

}  // namespace
}  // namespace dovetail::planning
