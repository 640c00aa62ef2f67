#include "dovetail/fairness.hpp"

#include <gtest/gtest.h>

#include "dovetail/critical.hpp"
#include "dovetail/metrics.hpp"
#include "dovetail/plan_record.hpp"

namespace dovetail {
namespace {

Workflow two_tasks(const std::string& name, const WorkflowTerms& terms = {}) {
  WorkflowBuilder builder(name);
  builder.set_terms(terms);
  builder.add_task({.id = "a", .time = TimeSpec::fixed(10, 2)});
  builder.add_task({.id = "b", .time = TimeSpec::fixed(10, 2)});
  builder.add_edge(0, 1);
  return std::move(builder).build();
}

// x runs at once; y waits for x's a and then, between its own tasks, for x's b; 1 of 3 processors
// is reserved while y waits first.
Problem two_workflows(const WorkflowTerms& second = {}) {
  const Cluster cluster{.name = "c", .processors = 3, .reservations = {{0, 10'000, 1}}};
  return Problem({two_tasks("x"), two_tasks("y", second)}, Platform(0, {cluster}), Goal::fair);
}

const Plan kPlan{
    .algorithm = "p",
    .placements = {{.workflow = 0, .task = 0, .procs = 2, .start = 0, .end = 10'000},
                   {.workflow = 0, .task = 1, .procs = 2, .start = 20'000, .end = 30'000},
                   {.workflow = 1, .task = 0, .procs = 2, .start = 10'000, .end = 20'000},
                   {.workflow = 1, .task = 1, .procs = 2, .start = 30'000, .end = 40'000}},
    .alone = {20'000, 20'000}};

TEST(Fairness, StretchesAreOverTheTimeAlone) {
  const Fairness fairness = measure_fairness(two_workflows(), kPlan);
  ASSERT_EQ(fairness.workflows.size(), 2U);
  EXPECT_EQ(fairness.workflows[0].length, 30'000);
  EXPECT_EQ(fairness.workflows[0].stretch, 1.5);
  EXPECT_EQ(fairness.workflows[1].stretch, 2);
  EXPECT_EQ(fairness.average_stretch, 1.75);
  EXPECT_EQ(fairness.maximum_stretch, 2);
}

TEST(Fairness, DelaysAreDividedAmongThoseWhoHoldProcessors) {
  const Fairness fairness = measure_fairness(two_workflows(), kPlan);
  EXPECT_EQ(fairness.workflows[0].delays, (std::vector<Delay>{{1, 10'000}}));
  // 10 s for x and the reservation, of which x holds two of three processors, then 10 s for x.
  EXPECT_EQ(fairness.workflows[1].delays, (std::vector<Delay>{{0, 16'667}}));
  EXPECT_EQ(fairness.workflows[0].reserved, 0);
  EXPECT_EQ(fairness.workflows[1].reserved, 3'333);
}

TEST(Fairness, CountsFromWhenAWorkflowIsReady) {
  const Problem problem = two_workflows({.weight = 4, .ready_at = 10'000});
  const Fairness fairness = measure_fairness(problem, kPlan);
  EXPECT_EQ(fairness.workflows[1].length, 30'000);
  EXPECT_EQ(fairness.workflows[1].stretch, 1.5);
  EXPECT_EQ(fairness.workflows[1].delays, (std::vector<Delay>{{0, 10'000}}));
  EXPECT_EQ(fairness.weighted_stretch, 1.5);
  EXPECT_EQ(fairness.workflows[0].weighted_stretch, 1.5 / 4);
  EXPECT_TRUE(differ_in_weight(problem));
  EXPECT_FALSE(differ_in_weight(two_workflows()));
  const PlanRecord record = make_record(problem, kPlan);
  EXPECT_EQ(record.workflows[1].makespan, 30'000);
  EXPECT_EQ(record.workflows[1].weight, 4);
  EXPECT_EQ(record.workflows[1].dedicated_makespan, 20'000);
  ASSERT_EQ(record.workflows[1].delayed_by.size(), 1U);
  EXPECT_EQ(record.workflows[1].delayed_by[0].by, "x");
}

TEST(Fairness, TheFairestPlanIsTheOneWhoseWorstOffFaresBest) {
  Plan better = kPlan;
  better.alone = {30'000, 30'000};
  std::vector<Plan> plans{{.feasible = false}, better, kPlan};
  EXPECT_EQ(fairest_plan(two_workflows(), plans), 1U);
  // Nearly as fair, and earlier.
  Plan earlier = better;
  earlier.alone = {29'104, 29'104};
  earlier.placements.back().end -= 1'000;
  plans.insert(plans.begin(), earlier);
  EXPECT_EQ(fairest_plan(two_workflows(), plans), 0U);
  // Of equals the last, which in the table is MAGS.
  plans.push_back(earlier);
  EXPECT_EQ(fairest_plan(two_workflows(), plans), 4U);
}

TEST(Fairness, AWorkflowThatBeginsWhenItIsReadyIsCritical) {
  const Problem problem({two_tasks("x", {.ready_at = 5'000})}, Platform::empty(3), Goal::fair);
  const Plan plan{.placements = {{.procs = 2, .start = 5'000, .end = 15'000},
                                 {.task = 1, .procs = 2, .start = 15'000, .end = 25'000}}};
  EXPECT_EQ(critical_chain(problem, plan).size(), 2U);
}

}  // namespace
}  // namespace dovetail
