// What a journal says about tasks.
#include "run/run_state.hpp"

#include <gtest/gtest.h>

namespace dovetail::run {
namespace {

AttemptEnd ended(int exit_code, AttemptEnd::Cause cause = AttemptEnd::Cause::ended) {
  return {.exit_code = exit_code, .cause = cause, .seconds = 1.5};
}

Stamp at(Time time) { return {1'000'000 + time, time}; }

TEST(RunState, FollowsTheEntries) {
  RunState state(2);
  EXPECT_FALSE(state.has_begun());
  EXPECT_EQ(state.count(TaskState::waiting), 2U);
  state.apply(note_entry(at(0), "begin"));
  state.apply(start_entry(at(1), 0, 1, 3));
  EXPECT_EQ(state.tasks()[0].state, TaskState::running);
  EXPECT_EQ(state.tasks()[0].processors, 3);
  state.apply(end_entry(at(2000), 0, 1, ended(7)));
  EXPECT_EQ(state.count(TaskState::failed), 1U);
  EXPECT_EQ(state.tasks()[0].end.exit_code, 7);
  EXPECT_EQ(state.tasks()[0].end.seconds, 1.5);
  EXPECT_EQ(state.tasks()[0].failures, 1U);
  state.apply(again_entry(at(2001), 0, "resumed"));
  EXPECT_EQ(state.count(TaskState::waiting), 2U);
  EXPECT_EQ(state.tasks()[0].failures, 0U);
  state.apply(start_entry(at(2002), 0, 2, 1));
  state.apply(end_entry(at(2003), 0, 2, ended(0)));
  EXPECT_EQ(state.count(TaskState::done), 1U);
  EXPECT_EQ(state.tasks()[0].attempt, 2U);
  EXPECT_EQ(state.began().at, 0);
  EXPECT_EQ(state.last().at, 2003);
  EXPECT_EQ(state.last().time, 1'002'003);
}

TEST(RunState, StoppedAndLostTasksWaitAgain) {
  RunState state(2);
  state.apply(start_entry(at(1), 0, 1, 1));
  state.apply(start_entry(at(1), 1, 1, 1));
  state.apply(end_entry(at(2), 0, 1, ended(143, AttemptEnd::Cause::stopped)));
  state.apply(lost_entry(at(3), 1, 1));
  EXPECT_EQ(state.count(TaskState::waiting), 2U);
  EXPECT_EQ(state.tasks()[0].failures, 0U);
}

TEST(RunState, AFailureMayBeTriedAgainLater) {
  RunState state(1);
  state.apply(start_entry(at(1), 0, 1, 1));
  state.apply(end_entry(at(2), 0, 1, ended(1)));
  state.apply(retry_entry(at(2), 0, 1002));
  EXPECT_EQ(state.tasks()[0].state, TaskState::waiting);
  EXPECT_EQ(state.tasks()[0].not_before, 1002);
  EXPECT_EQ(state.tasks()[0].failures, 1U);
}

TEST(RunState, ASuccessWithoutItsOutputIsAFailure) {
  RunState state(1);
  state.apply(start_entry(at(1), 0, 1, 1));
  state.apply(end_entry(at(2), 0, 1, ended(0), "result.txt"));
  EXPECT_EQ(state.tasks()[0].state, TaskState::failed);
  EXPECT_EQ(state.tasks()[0].missing, "result.txt");
  EXPECT_FALSE(state.tasks()[0].has_succeeded);
}

TEST(RunState, WhatIsKeptIsDoneWithoutAnAttempt) {
  RunState state(1);
  state.apply(kept_entry(at(1), 0, "digest", "definition"));
  EXPECT_EQ(state.tasks()[0].state, TaskState::done);
  EXPECT_TRUE(state.tasks()[0].was_kept);
  EXPECT_EQ(state.tasks()[0].inputs, "digest");
  EXPECT_TRUE(state.attempts().empty());
  state.apply(again_entry(at(2), 0, "its inputs changed"));
  EXPECT_EQ(state.tasks()[0].state, TaskState::waiting);
  EXPECT_TRUE(state.tasks()[0].has_succeeded);
}

TEST(RunState, KnowsThePlanInForceAndTheFirstOne) {
  RunState state(3);
  EXPECT_TRUE(state.plan().empty());
  const std::vector<planning::Slot> first = {{2, 0, 10}, {1, 10, 20}, {4, 20, 30}};
  state.apply(plan_entry(at(0), {.event = "start", .candidate = 30, .adopted = true}, "A", first));
  EXPECT_EQ(state.plan(), first);
  // Not adopted: nothing changes.
  state.apply(plan_entry(at(5), {.event = "late", .candidate = 40, .current = 35}, "B", first));
  EXPECT_EQ(state.algorithm(), "A");
  // Only what has not started is in a later plan.
  state.apply(plan_entry(
      at(6), {.event = "slow", .candidate = 33, .current = 50, .adopted = true, .moved = 2}, "B",
      std::vector<planning::Slot>{{}, {}, {3, 11, 33}}));
  EXPECT_EQ(state.plan(), (std::vector<planning::Slot>{{2, 0, 10}, {1, 10, 20}, {3, 11, 33}}));
  EXPECT_EQ(state.first_plan(), first);
  EXPECT_EQ(state.algorithm(), "B");
  ASSERT_EQ(state.decisions().size(), 3U);
  EXPECT_EQ(state.decisions()[1].event, "late");
  EXPECT_EQ(state.decisions()[1].current, 35);
  EXPECT_FALSE(state.decisions()[1].adopted);
  EXPECT_EQ(state.decisions()[1].moved, std::nullopt);
  EXPECT_EQ(state.decisions()[2].moved, 2);
  EXPECT_EQ(state.decisions()[2].time, 6);
}

TEST(RunState, AttemptsLastAsLongAsTheyWereMeasured) {
  RunState state(1);
  state.apply(start_entry(at(1000), 0, 1, 2));
  // Somebody heard of it an hour later.
  state.apply(end_entry(at(3'600'000), 0, 1, ended(0)));
  ASSERT_EQ(state.attempts().size(), 1U);
  const PastAttempt& attempt = state.attempts().front();
  EXPECT_EQ(attempt.started, 1000);
  EXPECT_EQ(attempt.ended, 2500);
  EXPECT_EQ(attempt.processors, 2);
  EXPECT_TRUE(attempt.succeeded);
}

TEST(RunState, EntriesItDoesNotKnowChangeNothing) {
  RunState state(1);
  state.apply({{"time", 5}, {"what", "a later version's"}, {"task", 0}});
  state.apply({{"time", 6}, {"what", "start"}, {"task", 99}, {"attempt", 1}});
  EXPECT_EQ(state.count(TaskState::waiting), 1U);
}

}  // namespace
}  // namespace dovetail::run
