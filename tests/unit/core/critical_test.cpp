#include "dovetail/critical.hpp"

#include <gtest/gtest.h>

#include "dovetail/plan_record.hpp"
#include "dovetail/planner.hpp"

namespace dovetail {
namespace {

// a -> b -> d and a -> c -> d, each of 10 s on one processor.
Workflow diamond() {
  WorkflowBuilder builder("w");
  for (const char* id : {"a", "b", "c", "d"}) {
    builder.add_task({.id = id, .time = TimeSpec::fixed(10)});
  }
  builder.add_edge(0, 1);
  builder.add_edge(0, 2);
  builder.add_edge(1, 3);
  builder.add_edge(2, 3);
  return std::move(builder).build();
}

std::vector<std::string> ids(const Problem& problem, const Plan& plan) {
  std::vector<std::string> names;
  for (const CriticalLink& link : critical_chain(problem, plan)) {
    names.emplace_back(problem.workflows()[0].id(plan.placements[link.placement].task));
  }
  return names;
}

TEST(CriticalChain, FollowsTheInputsWhenNothingWaits) {
  const Problem problem({diamond()}, Platform::empty(2));
  const Plan plan = dovetail::plan(*find_planner("CPA"), problem);
  EXPECT_EQ(ids(problem, plan), (std::vector<std::string>{"a", "b", "d"}));
  for (const CriticalLink& link : critical_chain(problem, plan)) EXPECT_EQ(link.waited, 0);
}

TEST(CriticalChain, FollowsTheTaskWhoseProcessorsWereNeeded) {
  const Problem problem({diamond()}, Platform::empty(1));
  const Plan plan = dovetail::plan(*find_planner("CPA"), problem);
  EXPECT_EQ(ids(problem, plan), (std::vector<std::string>{"a", "b", "c", "d"}));
}

TEST(CriticalChain, IsEmptyWhenTasksCouldHaveBegunEarlier) {
  const Problem problem({diamond()}, Platform::empty(2), Goal::deadline, 100'000);
  const Plan plan = dovetail::plan(*find_planner("DL_BD_CPA"), problem);
  ASSERT_TRUE(plan.feasible);
  EXPECT_EQ(ids(problem, plan), std::vector<std::string>{});
}

TEST(CriticalChain, MayBeginWhenTheClusterJoins) {
  const Platform platform(0, {{.name = "c", .processors = 2, .joins = 5'000}});
  const Problem problem({diamond()}, platform);
  const Plan plan = dovetail::plan(*find_planner("CPA"), problem);
  EXPECT_EQ(ids(problem, plan), (std::vector<std::string>{"a", "b", "d"}));
}

TEST(CriticalChain, SaysHowLongAReservationWasInTheWay) {
  const Platform platform(0,
                          {{.name = "c", .processors = 2, .reservations = {{10'000, 25'000, 2}}}});
  const Problem problem({diamond()}, platform);
  const Plan plan = dovetail::plan(*find_planner("CPA"), problem);
  const auto chain = critical_chain(problem, plan);
  ASSERT_EQ(chain.size(), 3U);
  EXPECT_FALSE(chain[0].for_reservation);
  EXPECT_TRUE(chain[1].for_reservation);
  EXPECT_EQ(chain[1].waited, 15'000);
  EXPECT_EQ(chain[2].waited, 0);
}

TEST(CriticalChain, IsEmptyWithoutAPlan) {
  const Problem problem({diamond()}, Platform::empty(1));
  EXPECT_TRUE(critical_chain(problem, Plan{.feasible = false}).empty());
}

// As after a step of the clock: the journal of a run gives tasks without length at one moment.
TEST(CriticalChain, EndsWhenTasksHaveNoLength) {
  const Problem problem({diamond()}, Platform::empty(4));
  Plan plan{.placements = {{.task = 0, .procs = 1, .start = 0, .end = 1'000},
                           {.task = 1, .procs = 1, .start = 5'000, .end = 5'000},
                           {.task = 2, .procs = 1, .start = 5'000, .end = 5'000}}};
  EXPECT_TRUE(ids(problem, plan).empty()) << "both could have begun earlier";
  plan.placements.push_back({.task = 3, .procs = 1, .start = 2'000, .end = 5'000});
  EXPECT_EQ(ids(problem, plan), std::vector<std::string>{}) << "d waits for both, and they for d";
  WorkflowBuilder builder("w");
  for (const char* id : {"a", "b", "c"}) {
    builder.add_task({.id = id, .time = TimeSpec::fixed(5)});
  }
  const Problem apart({std::move(builder).build()}, Platform::empty(4));
  plan.placements = {{.task = 0, .procs = 1, .start = 5'000, .end = 5'000},
                     {.task = 1, .procs = 1, .start = 5'000, .end = 5'000},
                     {.task = 2, .procs = 1, .start = 0, .end = 5'000}};
  EXPECT_EQ(ids(apart, plan), (std::vector<std::string>{"c", "b", "a"}));
}

// b begins before its input a ends, and a begins when b ends.
TEST(CriticalChain, IsEmptyWhenTasksWaitForEachOther) {
  const Problem problem({diamond()}, Platform::empty(4));
  const Plan plan{.placements = {{.task = 0, .procs = 1, .start = 5'000, .end = 9'000},
                                 {.task = 1, .procs = 1, .start = 1'000, .end = 5'000}}};
  EXPECT_TRUE(ids(problem, plan).empty());
}

TEST(PlanRecord, HasNamesMetricsAndTheChain) {
  const Platform platform(100,
                          {{.name = "c",
                            .processors = 2,
                            .reservations = {{0, 50, 2}, {50, 5000, 1}, {90'000, 99'000, 2}}}});
  const Problem problem({diamond()}, platform);
  const Plan plan = dovetail::plan(*find_planner("CPA"), problem);
  const PlanRecord record = make_record(problem, plan);
  EXPECT_EQ(record.algorithm, "CPA");
  EXPECT_EQ(record.makespan, 30'000);
  EXPECT_NEAR(record.cpu_hours, 40.0 / 3600, 1e-12);
  EXPECT_EQ(record.workflows[0].stretch, 1.0);
  ASSERT_EQ(record.tasks.size(), 4U);
  EXPECT_EQ(record.tasks[3].id, "d");
  EXPECT_TRUE(record.tasks[0].critical);
  EXPECT_FALSE(record.tasks[2].critical);
  // The reservation that has ended and the one after the plan are of no interest.
  ASSERT_EQ(record.clusters[0].reservations.size(), 1U);
  EXPECT_EQ(record.clusters[0].reservations[0].end, 5000);
  EXPECT_EQ(resolve(record, problem), plan);
}

TEST(PlanRecord, LostRunsAreNamedButAreNoPartOfThePlan) {
  const Platform platform(0,
                          {{.name = "c", .processors = 2, .reservations = {{90'000, 99'000, 2}}}});
  const Problem problem({diamond()}, platform);
  const Plan plan = dovetail::plan(*find_planner("CPA"), problem);
  const std::vector<Placement> lost = {{.task = 3, .procs = 2, .start = 60'000, .end = 90'001}};
  const PlanRecord record = make_record(problem, plan, lost);
  ASSERT_EQ(record.lost.size(), 1U);
  EXPECT_EQ(record.lost[0].id, "d");
  EXPECT_EQ(record.lost[0].cluster, "c");
  EXPECT_EQ(record.lost[0].processors, 2);
  EXPECT_EQ(record.lost[0].end, 90'001);
  EXPECT_EQ(record.cpu_hours, make_record(problem, plan).cpu_hours);
  EXPECT_EQ(record.makespan, make_record(problem, plan).makespan);
  EXPECT_EQ(record.clusters[0].reservations.size(), 1U) << "it begins before the run is lost";
  EXPECT_EQ(resolve(record, problem), plan);
}

}  // namespace
}  // namespace dovetail
