#include "dovetail/speedup.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dovetail/error.hpp"
#include "dovetail/workflow.hpp"

namespace dovetail {
namespace {

TaskTime time_of(const TimeSpec& spec, Workflow& keeper) {
  WorkflowBuilder builder;
  builder.add_task({.id = "t", .time = spec});
  keeper = std::move(builder).build();
  return keeper.time(0);
}

TEST(Amdahl, FollowsTheLawInWholeMilliseconds) {
  Workflow keeper;
  const TaskTime time = time_of(TimeSpec::amdahl(100.0, 0.1), keeper);
  EXPECT_EQ(time.duration(1), 100'000);
  EXPECT_EQ(time.duration(2), 55'000);
  EXPECT_EQ(time.duration(3), 40'000);
  EXPECT_EQ(time.duration(7), 22'858);  // 22857.14... rounded up
}

TEST(Amdahl, NeverGrowsWithMoreProcessors) {
  Workflow keeper;
  for (const double alpha : {0.0, 0.05, 0.2, 1.0}) {
    const TaskTime time = time_of(TimeSpec::amdahl(36'000.0, alpha), keeper);
    for (Count procs = 1; procs < 3000; ++procs) {
      ASSERT_LE(time.duration(procs + 1), time.duration(procs)) << alpha << " " << procs;
    }
  }
}

TEST(Amdahl, NeverTakesNoTimeAtAll) {
  Workflow keeper;
  EXPECT_EQ(time_of(TimeSpec::amdahl(0.0, 0.0), keeper).duration(5), 1);
}

TEST(Amdahl, KeepsToItsProcessorRange) {
  Workflow keeper;
  const TaskTime time = time_of(TimeSpec::amdahl(10, 0.1, {.min = 4, .max = 6}), keeper);
  EXPECT_FALSE(time.allows(3));
  EXPECT_TRUE(time.allows(4));
  EXPECT_FALSE(time.allows(7));
  EXPECT_EQ(time.floor_allowed(3), 0);
  EXPECT_EQ(time.floor_allowed(100), 6);
  EXPECT_EQ(time.next_allowed(1), 4);
  EXPECT_EQ(time.next_allowed(5), 6);
  EXPECT_EQ(time.next_allowed(6), 0);
}

TEST(Fixed, RunsOnItsProcessorsOnly) {
  Workflow keeper;
  const TaskTime time = time_of(TimeSpec::fixed(1.2345, 3), keeper);
  EXPECT_FALSE(time.allows(2));
  EXPECT_TRUE(time.allows(3));
  EXPECT_FALSE(time.allows(4));
  EXPECT_EQ(time.duration(3), 1235);
}

TEST(Table, AllowsTheMeasuredCountsThatPay) {
  Workflow keeper;
  // 6 processors are slower than 5, and 9 no faster than 8: nobody would choose them.
  const TaskTime time =
      time_of(TimeSpec::table({{9, 20}, {4, 42}, {5, 31}, {6, 33}, {8, 20}}), keeper);
  EXPECT_TRUE(time.allows(4));
  EXPECT_TRUE(time.allows(5));
  EXPECT_FALSE(time.allows(6));
  EXPECT_TRUE(time.allows(8));
  EXPECT_FALSE(time.allows(9));
  EXPECT_EQ(time.min_procs(), 4);
  EXPECT_EQ(time.max_procs(), 8);
  EXPECT_EQ(time.floor_allowed(7), 5);
  EXPECT_EQ(time.next_allowed(5), 8);
  EXPECT_EQ(time.duration(8), 20'000);
}

// The first of low..high, one after the other, that is fast enough.
Count fewest_by_hand(const TaskTime& time, Duration length, Count low, Count high) {
  for (Count procs = low; procs != 0 && procs <= high; procs = time.next_allowed(procs)) {
    if (time.duration(procs) <= length) return procs;
  }
  return 0;
}

TEST(FewestWithin, IsTheSmallestCountThatIsFastEnough) {
  Workflow keeper;
  const TaskTime amdahl = time_of(TimeSpec::amdahl(10, 0.1), keeper);
  Workflow other;
  const TaskTime table = time_of(TimeSpec::table({{2, 9}, {3, 7}, {8, 4}, {64, 1}}), other);
  for (Duration length = 0; length <= 11'000; length += 50) {
    EXPECT_EQ(amdahl.fewest_within(length, 1, 64), fewest_by_hand(amdahl, length, 1, 64));
    EXPECT_EQ(amdahl.fewest_within(length, 5, 9), fewest_by_hand(amdahl, length, 5, 9));
    EXPECT_EQ(table.fewest_within(length, 2, 64), fewest_by_hand(table, length, 2, 64));
    EXPECT_EQ(table.fewest_within(length, 3, 8), fewest_by_hand(table, length, 3, 8));
  }
}

TEST(Speed, DividesTheTime) {
  Workflow keeper;
  EXPECT_EQ(time_of(TimeSpec::fixed(10), keeper).at_speed(4).duration(1), 2500);
  EXPECT_EQ(time_of(TimeSpec::amdahl(10, 0.5), keeper).at_speed(3).duration(2), 2500);
}

TEST(PerResource, HasATimeOnEachNamedResource) {
  Workflow keeper;
  const TaskTime time = time_of(TimeSpec::per_resource({{"r1", 14}, {"r3", 9}}), keeper);
  EXPECT_TRUE(time.runs_on(0));
  EXPECT_FALSE(time.runs_on(2));
  EXPECT_EQ(time.on_resource(1).duration(1), 9000);
  EXPECT_EQ(keeper.resource_names()[1], "r3");
}

TEST(TimeSpec, IsRefusedWhenOutOfRange) {
  Workflow keeper;
  EXPECT_THROW(time_of(TimeSpec::amdahl(1, 1.5), keeper), InputError);
  EXPECT_THROW(time_of(TimeSpec::amdahl(1, std::nan("")), keeper), InputError);
  EXPECT_THROW(time_of(TimeSpec::fixed(-1), keeper), InputError);
  EXPECT_THROW(time_of(TimeSpec::fixed(1e300), keeper), InputError);
  EXPECT_THROW(time_of(TimeSpec::fixed(1, 0), keeper), InputError);
  EXPECT_THROW(time_of(TimeSpec::amdahl(1, 0, {.min = 4, .max = 3}), keeper), InputError);
  EXPECT_THROW(time_of(TimeSpec::table({}), keeper), InputError);
  EXPECT_THROW(time_of(TimeSpec::table({{2, 5}, {2, 6}}), keeper), InputError);
  EXPECT_THROW(time_of(TimeSpec::per_resource({}), keeper), InputError);
}

}  // namespace
}  // namespace dovetail
