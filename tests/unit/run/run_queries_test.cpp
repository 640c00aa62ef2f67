// Questions about a run.
#include "run/report/run_queries.hpp"

#include <gtest/gtest.h>

namespace dovetail::run {
namespace {

using Sentences = std::vector<std::string>;

Stamp at(Time time) { return {1'000'000 + time, time}; }

// first -> broad -> last, and other beside them, on four processors.
class RunQueries : public ::testing::Test {
 protected:
  RunQueries() {
    state_.apply(note_entry(at(0), "begin"));
    state_.apply(plan_entry(at(0), {.event = "start", .candidate = 40, .adopted = true}, "A",
                            std::vector<planning::Slot>{
                                {1, 0, 1000}, {3, 1000, 2000}, {1, 2000, 3000}, {2, 500, 3500}}));
  }

  static Problem make_problem() {
    WorkflowBuilder builder("w");
    for (const char* id : {"first", "broad", "last", "other"}) {
      builder.add_task({.id = id, .time = TimeSpec::amdahl(1, 0, {id[0] == 'b' ? 2 : 1, 4})});
    }
    builder.add_edge(0, 1);
    builder.add_edge(1, 2);
    return Problem({std::move(builder).build()}, Platform::empty(4));
  }

  void start(std::uint32_t task, Count procs) { state_.apply(start_entry(at(10), task, 1, procs)); }
  void end(std::uint32_t task, int exit_code) {
    state_.apply(end_entry(at(20), task, 1, {.exit_code = exit_code, .seconds = 1}));
  }
  Sentences why(std::size_t task, bool is_worked_on = true) const {
    return explain(problem_, state_, task, 4, is_worked_on);
  }

  Problem problem_ = make_problem();
  RunState state_{4};
};

TEST_F(RunQueries, ATaskWaitsForWhatItComesAfter) {
  start(0, 1);
  EXPECT_EQ(why(1), (Sentences{"it comes after first, not done yet",
                               "by the plan it starts 1s after the beginning of the run, on 3 "
                               "processors, for 1s"}));
}

TEST_F(RunQueries, ATaskWaitsForProcessors) {
  start(0, 1);
  end(0, 0);
  start(3, 2);
  EXPECT_EQ(processors_in_use(state_), 2);
  EXPECT_EQ(why(1)[0], "it is to have 3 processors, and of 4 only 2 are free; these run: other");
}

TEST_F(RunQueries, ATaskWaitsForOthersThatComeFirst) {
  EXPECT_EQ(why(3)[0], "by the plan these come first: first");
}

TEST_F(RunQueries, ATaskWaitsAfterAFailure) {
  start(0, 1);
  end(0, 1);
  state_.apply(retry_entry(at(20), 0, 4020));
  EXPECT_EQ(why(0)[0], "its last attempt failed, and the next one begins in 4s");
}

TEST_F(RunQueries, WhatNeedsAFailedTaskIsBlocked) {
  start(0, 1);
  end(0, 1);
  const auto blocked = blocked_tasks(problem_, state_);
  EXPECT_FALSE(blocked[0]);
  EXPECT_EQ(blocked[1], 0U);
  EXPECT_EQ(blocked[2], 0U);
  EXPECT_FALSE(blocked[3]);
  EXPECT_EQ(why(2, false)[0], "it needs first, which failed");
  EXPECT_EQ(why(2, false)[1], "no process works on the run; continue it with dovetail resume");
  EXPECT_EQ(why(0), Sentences{"it failed in attempt 1; dovetail resume tries it again as it is, "
                              "run with what was changed"});
}

TEST_F(RunQueries, WhatHasStartedIsNotWaiting) {
  start(0, 2);
  EXPECT_EQ(why(0), Sentences{"it runs: attempt 1, on 2 processors"});
  end(0, 0);
  EXPECT_EQ(why(0), Sentences{"it is done: attempt 1 took 1s on 2 processors"});
}

TEST_F(RunQueries, TheLargestNeedIsOfTasksThatAreNotDone) {
  EXPECT_EQ(largest_need(problem_, state_)->processors, 2);
  EXPECT_EQ(largest_need(problem_, state_)->task, 1U);
  for (const std::uint32_t task : {0U, 1U}) {
    start(task, 2);
    end(task, 0);
  }
  EXPECT_EQ(largest_need(problem_, state_)->processors, 1);
}

}  // namespace
}  // namespace dovetail::run
