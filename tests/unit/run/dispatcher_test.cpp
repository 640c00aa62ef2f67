// Which tasks start when things happen otherwise than planned.
#include "run/dispatcher.hpp"

#include <gtest/gtest.h>

namespace dovetail::run {
namespace {

using Tasks = std::vector<std::size_t>;

// a and b side by side, c needs both; wide takes all four processors, small one.
struct Example {
  explicit Example(std::vector<Reservation> reservations = {})
      : problem({workflow()}, platform(std::move(reservations))) {}

  static Platform platform(std::vector<Reservation> reservations) {
    return Platform(0, {{.name = "c", .processors = 4, .reservations = std::move(reservations)}});
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

  Dispatcher dispatcher() const {
    Dispatcher made(problem, 4);
    made.follow(slots);
    return made;
  }

  Problem problem;
  // a and b at once, then wide, then small and c.
  std::vector<planning::Slot> slots = {
      {2, 0, 10}, {1, 0, 20}, {1, 40, 50}, {4, 20, 40}, {1, 40, 45}};
};

TEST(Dispatcher, WaitsForWorkflowsThatBecomeReadyLater) {
  const Problem problem({Example::workflow().with_terms({.ready_at = 100})}, Example::platform({}));
  Dispatcher dispatcher(problem, 4);
  dispatcher.follow(Example().slots);
  EXPECT_EQ(dispatcher.start(0), Tasks{});
  EXPECT_EQ(dispatcher.ready(), 4U);
  EXPECT_EQ(dispatcher.next_chance(0), 100);
  EXPECT_EQ(dispatcher.forecast(0), 150);
  Dispatcher later = dispatcher;
  EXPECT_EQ(dispatcher.start(100), (Tasks{0, 1, 4}));
  // What was done before we came is not done again.
  later.adopt_success(0);
  later.adopt_running(1, 1, 90);
  EXPECT_EQ(later.ready(), 2U);
  EXPECT_EQ(later.start(100), (Tasks{4}));
}

TEST(Dispatcher, StartsInTheOrderOfThePlanAndHoldsAPlaceForWideTasks) {
  const Example example;
  Dispatcher dispatcher = example.dispatcher();
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
  example.slots[4].end = 140;  // small would still run at 20
  EXPECT_EQ(example.dispatcher().start(0), (Tasks{0, 1}));
}

TEST(Dispatcher, WithoutAPlanNothingStarts) {
  const Example example;
  Dispatcher dispatcher(example.problem, 4);
  EXPECT_EQ(dispatcher.start(0), Tasks{});
  EXPECT_EQ(dispatcher.ready(), 4U);
}

TEST(Dispatcher, WhatNeedsAFailedTaskNeverStarts) {
  const Example example;
  Dispatcher dispatcher = example.dispatcher();
  dispatcher.start(0);
  dispatcher.end(0, false);
  dispatcher.end(1, true);
  dispatcher.end(4, true);
  EXPECT_EQ(dispatcher.start(20), Tasks{3});
  dispatcher.end(3, true);
  EXPECT_EQ(dispatcher.start(40), Tasks{});
  EXPECT_TRUE(dispatcher.running().empty());
  EXPECT_EQ(dispatcher.ready(), 0U);
}

TEST(Dispatcher, TakesOverWhatRunsAndWhatIsDone) {
  const Example example;
  Dispatcher dispatcher = example.dispatcher();
  dispatcher.adopt_success(0);
  dispatcher.adopt_running(1, 3, 0);
  EXPECT_EQ(dispatcher.in_use(), 3);
  EXPECT_EQ(dispatcher.start(0), Tasks{4});
  dispatcher.retry(1);
  EXPECT_EQ(dispatcher.start(1), Tasks{1});
}

TEST(Dispatcher, ATaskThatFailedWaitsForItsTime) {
  const Example example;
  Dispatcher dispatcher = example.dispatcher();
  dispatcher.adopt_success(3);
  EXPECT_EQ(dispatcher.start(0), (Tasks{0, 1, 4}));
  dispatcher.retry(0, 1000);
  EXPECT_EQ(dispatcher.start(10), Tasks{});
  EXPECT_EQ(dispatcher.next_chance(10), 1000);
  EXPECT_EQ(dispatcher.start(1000), Tasks{0});
  EXPECT_EQ(dispatcher.next_chance(1000), kForever);
}

TEST(Dispatcher, ANewPlanChangesWhatHasNotStartedOnly) {
  const Example example;
  Dispatcher dispatcher = example.dispatcher();
  dispatcher.start(0);
  dispatcher.follow(std::vector<planning::Slot>{{4, 0, 1}, {4, 0, 1}, {}, {1, 5, 30}, {4, 0, 1}});
  EXPECT_EQ(dispatcher.in_use(), 4);
  EXPECT_EQ(dispatcher.processors_of(0), 2);
  EXPECT_EQ(dispatcher.processors_of(2), 1);
  dispatcher.end(0, true);
  EXPECT_EQ(dispatcher.start(10), Tasks{3});
}

TEST(Dispatcher, MoreAndFewerProcessors) {
  const Example example;
  Dispatcher dispatcher = example.dispatcher();
  EXPECT_EQ(dispatcher.start(0), (Tasks{0, 1, 4}));
  dispatcher.set_processors(2);
  dispatcher.end(4, true);
  EXPECT_EQ(dispatcher.in_use(), 3);  // those that run keep theirs
  dispatcher.end(0, true);
  dispatcher.end(1, true);
  EXPECT_EQ(dispatcher.start(20), Tasks{2});  // wide does not fit any more
  dispatcher.set_processors(8);
  EXPECT_EQ(dispatcher.start(21), Tasks{3});
  EXPECT_EQ(dispatcher.in_use(), 5);
}

TEST(Dispatcher, LeavesReservedProcessorsAlone) {
  const Example example({{5, 100, 3}});
  Dispatcher dispatcher = example.dispatcher();
  // a would need two of them until 10; b fits beside the reservation, small before it.
  EXPECT_EQ(dispatcher.start(0), (Tasks{1, 4}));
  EXPECT_EQ(dispatcher.next_chance(0), 5);
  dispatcher.end(4, true);
  dispatcher.end(1, true);
  EXPECT_EQ(dispatcher.start(20), Tasks{});
  EXPECT_EQ(dispatcher.next_chance(20), 100);
  EXPECT_EQ(dispatcher.start(100), Tasks{0});
}

TEST(Dispatcher, ATaskGetsNoMoreProcessorsThanThereIsMemoryFor) {
  WorkflowBuilder builder("w");
  builder.add_task({.id = "a",
                    .time = TimeSpec::amdahl(12, 0),
                    .run = "true",
                    .needs = {.memory_per_processor = kGibibyte}});
  const Problem problem({std::move(builder).build()}, Example::platform({}));
  Dispatcher dispatcher(problem, 4, {.memory = 3 * kGibibyte});
  dispatcher.follow(std::vector<planning::Slot>{{4, 0, 3000}});
  EXPECT_EQ(dispatcher.start(0), Tasks{0});
  EXPECT_EQ(dispatcher.processors_of(0), 3);
  EXPECT_EQ(dispatcher.length_of(0), 4000);
  EXPECT_EQ(dispatcher.room_in_use().memory, 3 * kGibibyte);
}

TEST(Dispatcher, ATaskThatOthersKeepOutHoldsNoPlace) {
  WorkflowBuilder builder("w");
  builder.add_task({.id = "big", .time = TimeSpec::fixed(1), .run = "true", .needs = {.gpus = 2}});
  builder.add_task({.id = "small", .time = TimeSpec::fixed(1), .run = "true"});
  const Problem problem({std::move(builder).build()}, Example::platform({}));
  Dispatcher dispatcher(problem, 4, {.gpus = 2});
  dispatcher.follow(std::vector<planning::Slot>{{4, 0, 1000}, {1, 0, 1000}});
  dispatcher.set_held_by_others({.gpus = 1});
  EXPECT_EQ(dispatcher.start(0), Tasks{1});
  EXPECT_EQ(dispatcher.next_chance(0), kLookAgain);
  EXPECT_EQ(dispatcher.forecast(0), 2000) << "others are thought to go";
  dispatcher.end(1, true);
  dispatcher.set_held_by_others({});
  EXPECT_EQ(dispatcher.start(5), Tasks{0});
  EXPECT_EQ(dispatcher.next_chance(5), kForever);
}

TEST(Dispatcher, ForeseesTheEnd) {
  const Example example;
  Dispatcher dispatcher = example.dispatcher();
  EXPECT_EQ(dispatcher.forecast(0), 50);
  dispatcher.start(0);
  dispatcher.expect(1, 100);
  // wide and c wait for b.
  EXPECT_EQ(dispatcher.forecast(30), 130);
  EXPECT_EQ(dispatcher.in_use(), 4);
}

}  // namespace
}  // namespace dovetail::run
