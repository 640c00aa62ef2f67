// Which tasks start when things happen otherwise than planned.
#include "exec/dispatcher.hpp"

#include <gtest/gtest.h>

namespace dovetail::exec {
namespace {

using Tasks = std::vector<std::size_t>;

// a and b side by side, c needs both; wide takes all four processors, small one.
struct Example {
  Example() : problem({workflow()}, Platform::empty(4)) {
    // a and b at once, then wide, then small and c.
    const auto place = [&](TaskId task, Count procs, Time start, Time end) {
      plan.placements.push_back({0, task, 0, procs, start, end});
    };
    place(0, 2, 0, 10);
    place(1, 1, 0, 20);
    place(2, 1, 40, 50);
    place(3, 4, 20, 40);
    place(4, 1, 40, 45);
  }

  static Workflow workflow() {
    WorkflowBuilder builder("w");
    for (const char* id : {"a", "b", "c", "wide", "small"}) {
      builder.add_task({.id = id, .time = TimeSpec::amdahl(1, 0), .run = "true"});
    }
    builder.add_edge(0, 2);
    builder.add_edge(1, 2);
    return std::move(builder).build();
  }

  Problem problem;
  Plan plan;
};

TEST(Dispatcher, StartsInTheOrderOfThePlanAndHoldsAPlaceForWideTasks) {
  const Example example;
  Dispatcher dispatcher(example.problem, example.plan, 4);
  // small ends before wide can start, at 20.
  EXPECT_EQ(dispatcher.start(0), (Tasks{0, 1, 4}));
  EXPECT_EQ(dispatcher.in_use(), 4);
  dispatcher.end(4, true);
  dispatcher.end(0, true);
  EXPECT_EQ(dispatcher.start(5), Tasks{});
  dispatcher.end(1, true);
  EXPECT_EQ(dispatcher.start(20), Tasks{3});
  dispatcher.end(3, true);
  EXPECT_EQ(dispatcher.start(40), Tasks{2});
}

TEST(Dispatcher, NothingStartsBeforeAWideTaskThatWouldDelayIt) {
  Example example;
  example.plan.placements[4].end = 100;  // small would still run at 20
  Dispatcher dispatcher(example.problem, example.plan, 4);
  EXPECT_EQ(dispatcher.start(0), (Tasks{0, 1}));
}

TEST(Dispatcher, WhatNeedsAFailedTaskNeverStarts) {
  const Example example;
  Dispatcher dispatcher(example.problem, example.plan, 4);
  dispatcher.start(0);
  dispatcher.end(0, false);
  dispatcher.end(1, true);
  dispatcher.end(4, true);
  EXPECT_EQ(dispatcher.start(20), Tasks{3});
  dispatcher.end(3, true);
  EXPECT_EQ(dispatcher.start(40), Tasks{});
  EXPECT_EQ(dispatcher.running(), 0U);
}

TEST(Dispatcher, TakesOverWhatRunsAndWhatIsDone) {
  const Example example;
  Dispatcher dispatcher(example.problem, example.plan, 4);
  dispatcher.adopt_success(0);
  dispatcher.adopt_running(1, 3, 0);
  EXPECT_EQ(dispatcher.in_use(), 3);
  EXPECT_EQ(dispatcher.start(0), Tasks{4});
  dispatcher.retry(1);
  EXPECT_EQ(dispatcher.start(1), Tasks{1});
}

}  // namespace
}  // namespace dovetail::exec
