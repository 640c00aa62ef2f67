#include "dovetail/platform.hpp"

#include <gtest/gtest.h>

#include "dovetail/error.hpp"
#include "dovetail/problem.hpp"

namespace dovetail {
namespace {

Cluster cluster_with(std::vector<Reservation> reservations, Count processors = 8) {
  return {.name = "c", .processors = processors, .reservations = std::move(reservations)};
}

Workflow one_task(TimeSpec time) {
  WorkflowBuilder builder("w");
  builder.add_task({.id = "t", .time = std::move(time)});
  return std::move(builder).build();
}

TEST(Platform, CalendarHoldsWhatReservationsLeave) {
  const Platform platform(1000, {cluster_with({{0, 500, 8}, {500, 2000, 3}, {1500, 3000, 5}})});
  const Calendar& calendar = platform.calendar(0);
  EXPECT_EQ(calendar.free_at(1000), 5);  // the first has ended, the second has begun
  EXPECT_EQ(calendar.free_at(1500), 0);
  EXPECT_EQ(calendar.free_at(2000), 3);
  EXPECT_EQ(calendar.free_at(3000), 8);
}

TEST(Platform, ResourcesJoinAndLeave) {
  Cluster cluster = cluster_with({{300, 400, 2}});
  cluster.joins = 100;
  cluster.leaves = 1000;
  const Platform platform(0, {cluster});
  EXPECT_EQ(platform.calendar(0).free_at(99), 0);
  EXPECT_EQ(platform.calendar(0).free_at(100), 8);
  EXPECT_EQ(platform.calendar(0).free_at(350), 6);
  EXPECT_EQ(platform.calendar(0).free_at(1000), 0);
}

TEST(Platform, RefusesOverbooking) {
  EXPECT_FALSE(find_overbooking(cluster_with({{0, 10, 5}, {10, 20, 8}, {0, 10, 3}})));
  const auto problem = find_overbooking(cluster_with({{0, 10, 5}, {5, 20, 4}}));
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->find("9 of 8 processors at 0.005"), std::string::npos) << *problem;
  EXPECT_TRUE(find_overbooking(cluster_with({{0, 10, 9}})));
  EXPECT_TRUE(find_overbooking(cluster_with({{10, 10, 1}})));
  EXPECT_TRUE(find_overbooking(cluster_with({{0, 10, 0}})));
  EXPECT_THROW(Platform(0, {cluster_with({{0, 10, 5}, {5, 20, 4}})}), InputError);
}

TEST(Platform, RefusesReservationsWhileTheClusterIsNotThere) {
  Cluster cluster = cluster_with({{50, 150, 2}});
  cluster.joins = 100;
  EXPECT_THROW(Platform(0, {cluster}), InputError);
}

TEST(Platform, RefusesNumbersOutOfRange) {
  EXPECT_THROW(Platform(0, {}), InputError);
  EXPECT_THROW(Platform(0, {{.name = "", .processors = 1}}), InputError);
  EXPECT_THROW(Platform(0, {{.name = "c", .processors = 0}}), InputError);
  EXPECT_THROW(Platform(0, {{.name = "c", .processors = 1, .speed = 0}}), InputError);
  EXPECT_THROW(Platform(0, {{.name = "c", .processors = 1, .free_on_average = -1}}), InputError);
  EXPECT_THROW(Platform(0, {{.name = "c", .processors = 1, .joins = 5, .leaves = 5}}), InputError);
  EXPECT_THROW(Platform(0, {{.name = "c", .processors = 1}, {.name = "c", .processors = 1}}),
               InputError);
}

TEST(Platform, HistoryIsAWholeNumberOfProcessors) {
  Cluster cluster = cluster_with({});
  EXPECT_EQ(cluster.historical_procs(), 8);
  cluster.free_on_average = 3.99;
  EXPECT_EQ(cluster.historical_procs(), 3);
  cluster.free_on_average = 0.2;
  EXPECT_EQ(cluster.historical_procs(), 1);
  cluster.free_on_average = 99;
  EXPECT_EQ(cluster.historical_procs(), 8);
}

TEST(Problem, RefusesTasksThatFitNowhere) {
  const Platform platform = Platform::empty(4);
  EXPECT_NO_THROW(Problem({one_task(TimeSpec::fixed(1, 4))}, platform));
  EXPECT_THROW(Problem({one_task(TimeSpec::fixed(1, 5))}, platform), InputError);
  EXPECT_THROW(Problem({one_task(TimeSpec::amdahl(1, 0, {.min = 5}))}, platform), InputError);
  EXPECT_THROW(Problem({one_task(TimeSpec::table({{8, 3}}))}, platform), InputError);
  EXPECT_THROW(Problem({one_task(TimeSpec::per_resource({{"other", 3}}))}, platform), InputError);
  EXPECT_NO_THROW(Problem({one_task(TimeSpec::per_resource({{"cluster", 3}}))}, platform));
}

TEST(Problem, RefusesNoWorkflowAndEqualNames) {
  const Platform platform = Platform::empty(4);
  const Workflow workflow = one_task(TimeSpec::fixed(1));
  EXPECT_THROW(Problem({}, platform), InputError);
  EXPECT_THROW(Problem({workflow, workflow}, platform), InputError);
}

TEST(Problem, TimesDependOnTheClustersSpeed) {
  const Platform platform(0, {{.name = "fast", .processors = 4, .speed = 2}});
  const Problem problem({one_task(TimeSpec::fixed(10))}, platform);
  EXPECT_EQ(problem.time(0, 0, 0).duration(1), 5000);
  EXPECT_TRUE(problem.allows(0, 0, 0, 1));
  EXPECT_FALSE(problem.allows(0, 0, 0, 2));
}

}  // namespace
}  // namespace dovetail
