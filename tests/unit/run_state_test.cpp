// What a journal says about tasks.
#include "exec/run_state.hpp"

#include <gtest/gtest.h>

namespace dovetail::exec {
namespace {

AttemptEnd ended(int exit_code, AttemptEnd::Cause cause = AttemptEnd::Cause::ended) {
  return {.exit_code = exit_code, .cause = cause, .seconds = 1.5};
}

TEST(RunState, FollowsTheEntries) {
  RunState state(2);
  EXPECT_EQ(state.count(TaskState::waiting), 2U);
  state.apply(note_entry(1000, "begin"));
  state.apply(start_entry(1001, 0, 1, 3));
  EXPECT_EQ(state.tasks()[0].state, TaskState::running);
  EXPECT_EQ(state.tasks()[0].processors, 3);
  state.apply(end_entry(2000, 0, 1, ended(7)));
  EXPECT_EQ(state.count(TaskState::failed), 1U);
  EXPECT_EQ(state.tasks()[0].end.exit_code, 7);
  EXPECT_EQ(state.tasks()[0].end.seconds, 1.5);
  state.apply({{"time", 2001}, {"what", "again"}, {"task", 0}});
  EXPECT_EQ(state.count(TaskState::waiting), 2U);
  state.apply(start_entry(2002, 0, 2, 1));
  state.apply(end_entry(2003, 0, 2, ended(0)));
  EXPECT_EQ(state.count(TaskState::done), 1U);
  EXPECT_EQ(state.tasks()[0].attempt, 2U);
  EXPECT_EQ(state.began, 1000);
  EXPECT_EQ(state.last, 2003);
}

TEST(RunState, StoppedAndLostTasksWaitAgain) {
  RunState state(2);
  state.apply(start_entry(1, 0, 1, 1));
  state.apply(start_entry(1, 1, 1, 1));
  state.apply(end_entry(2, 0, 1, ended(143, AttemptEnd::Cause::stopped)));
  state.apply(lost_entry(3, 1, 1));
  EXPECT_EQ(state.count(TaskState::waiting), 2U);
}

TEST(RunState, EntriesItDoesNotKnowChangeNothing) {
  RunState state(1);
  state.apply({{"time", 5}, {"what", "a later version's"}, {"task", 0}});
  state.apply({{"time", 6}, {"what", "start"}, {"task", 99}, {"attempt", 1}});
  EXPECT_EQ(state.count(TaskState::waiting), 1U);
}

}  // namespace
}  // namespace dovetail::exec
