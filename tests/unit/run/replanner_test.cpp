// Planning again in the middle of a run.
#include "run/replanner.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include "dovetail/planner.hpp"

namespace dovetail::run {
namespace {

Plan best(const Problem& problem) {
  auto plans = plan_all(problem);
  return std::move(plans[best_plan(plans, problem.goal())]);
}

// narrow runs on one processor; wide is moldable, and next comes after it.
Problem example() {
  WorkflowBuilder builder("w");
  builder.add_task({.id = "narrow", .time = TimeSpec::fixed(10)});
  builder.add_task({.id = "wide", .time = TimeSpec::amdahl(120, 0, {1, 4})});
  builder.add_task({.id = "next", .time = TimeSpec::amdahl(40, 0, {1, 4})});
  builder.add_edge(1, 2);
  return Problem({std::move(builder).build()}, Platform::empty(4));
}

// narrow runs and is thought to end then; wide was to have all four processors at 10 s.
RunPicture picture(Time narrow_ends) {
  return {.now = 12'000,
          .processors = 4,
          .progress = {planning::TaskProgress::running, planning::TaskProgress::waiting,
                       planning::TaskProgress::waiting},
          .slots = {{1, 0, narrow_ends}, {4, 10'000, 40'000}, {4, 40'000, 50'000}},
          .has_plan = true,
          .not_before = {0, 0, 0},
          .factors = {1, 1, 1},
          .reason = "narrow is late"};
}

TEST(Replan, DoesNotWaitForATaskThatIsLate) {
  const Problem problem = example();
  const NewPlan plan = replan(problem, best, picture(100'000));
  EXPECT_TRUE(plan.decision.adopted);
  EXPECT_EQ(plan.decision.event, "narrow is late");
  EXPECT_EQ(plan.decision.current, 140'000);
  // On three processors at once: 40 s, and then 13.334 s.
  EXPECT_EQ(plan.decision.candidate, 100'000);
  EXPECT_EQ(plan.slots[0], planning::Slot{});
  EXPECT_EQ(plan.slots[1], (planning::Slot{3, 12'000, 52'000}));
  EXPECT_EQ(plan.slots[2].start, 52'000);
}

TEST(Replan, BySearchItDoesNotWaitEitherUnlessThatMovesTooMuch) {
  const Problem problem = example();
  const NewPlan both = replan(problem, {}, picture(100'000), {.searches = true});
  EXPECT_EQ(both.decision.candidate, 100'000);
  EXPECT_EQ(both.decision.moved, 2);
  // Of 128 s wide gains 30 and next 10; to be worth it, each has to gain 19.2.
  const NewPlan one = replan(problem, {}, picture(100'000), {.stability = 0.3, .searches = true});
  EXPECT_TRUE(one.decision.adopted);
  EXPECT_EQ(one.decision.candidate, 110'000);
  EXPECT_EQ(one.decision.moved, 1);
  const NewPlan kept = replan(problem, {}, picture(100'000), {.stability = 1, .searches = true});
  EXPECT_FALSE(kept.decision.adopted);
  EXPECT_EQ(kept.slots[1], (planning::Slot{4, 100'000, 130'000}));
}

TEST(Replan, KeepsAPlanThatIsAsGood) {
  const Problem problem = example();
  const NewPlan plan = replan(problem, best, picture(12'001));
  EXPECT_FALSE(plan.decision.adopted);
  EXPECT_EQ(plan.decision.current, 52'001);
  // It goes on as far as is known by now.
  EXPECT_EQ(plan.slots[1], (planning::Slot{4, 12'001, 42'001}));
}

TEST(Replan, WithFewerProcessorsThanRunThePlanFits) {
  const Problem problem = example();
  RunPicture now = picture(20'000);
  now.processors = 2;
  now.slots[0].procs = 4;
  const NewPlan plan = replan(problem, best, now);
  ASSERT_TRUE(plan.decision.adopted);
  EXPECT_FALSE(plan.decision.current);  // the old plan cannot go on
  EXPECT_EQ(plan.slots[1], (planning::Slot{2, 20'000, 80'000}));
}

TEST(Replan, UsesWhatIsKnownOfTimesAndWaits) {
  const Problem problem = example();
  RunPicture now = picture(12'001);
  now.factors = {1, 2, 1};
  now.not_before = {0, 30'000, 0};
  now.has_plan = false;
  const NewPlan plan = replan(problem, best, now);
  ASSERT_TRUE(plan.decision.adopted);
  EXPECT_EQ(plan.slots[1], (planning::Slot{4, 30'000, 90'000}));
}

TEST(Replan, WhatIsImpossibleIsSaid) {
  WorkflowBuilder builder("w");
  builder.add_task({.id = "broad", .time = TimeSpec::fixed(10, 4)});
  const Problem problem({std::move(builder).build()}, Platform::empty(4));
  const NewPlan plan = replan(problem, best,
                              {.processors = 2,
                               .progress = {planning::TaskProgress::waiting},
                               .slots = {{4, 0, 10'000}},
                               .has_plan = true,
                               .not_before = {0},
                               .factors = {1}});
  EXPECT_FALSE(plan.decision.adopted);
  EXPECT_NE(plan.trouble.find("needs 4 processors"), std::string::npos) << plan.trouble;
}

TEST(Replanner, AnswersFromAThreadOfItsOwn) {
  const Problem problem = example();
  Replanner planner(problem, best);
  EXPECT_FALSE(planner.answer());
  for (int round = 0; round < 20; ++round) {
    planner.ask(picture(100'000 + round));
    EXPECT_TRUE(planner.is_busy());
    pollfd file{planner.descriptor(), POLLIN, 0};
    ASSERT_EQ(poll(&file, 1, 60'000), 1);
    const auto plan = planner.answer();
    ASSERT_TRUE(plan);
    EXPECT_FALSE(planner.is_busy());
    EXPECT_EQ(plan->decision.candidate, 100'000 + round);
  }
}

TEST(Replanner, NeedNotBeWaitedFor) {
  const Problem problem = example();
  Replanner planner(problem, best);
  planner.ask(picture(100'000));
}

}  // namespace
}  // namespace dovetail::run
