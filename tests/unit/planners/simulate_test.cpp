// What becomes of small plans, in numbers that can be followed by hand.
#include "planners/replan/simulate.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "dovetail/metrics.hpp"
#include "planners/replan/cluster_world.hpp"
#include "support/made_events.hpp"
#include "support/sample_pool.hpp"

namespace dovetail::planning {
namespace {

using testing::cancel;
using testing::fail;
using testing::fail_for_good;
using testing::join;
using testing::late;
using testing::leave;
using testing::leave_later;
using testing::lost;
using testing::ms;
using testing::reserve;
using testing::sample_problem;
using testing::slow;

using Events = std::vector<Event>;

// "a 0-10, b 10-30.5": of tasks that are called by letters, in seconds.
std::string shown(const Problem& problem, std::span<const Placement> runs) {
  std::string text;
  for (const Placement& run : runs) {
    text += (text.empty() ? "" : ", ") +
            std::string(problem.workflows()[run.workflow].id(run.task)) + " " +
            format_seconds(run.start) + "-" + format_seconds(run.end);
    if (problem.platform().clusters().size() > 1) {
      text += " " + problem.platform().clusters()[run.cluster].name;
    }
  }
  return text;
}

// "5: late a x2, 30 -> 28!": when, what, the old end and the new one, if any; "!" if adopted.
std::string shown(const Evaluation& row) {
  const auto end = [](std::optional<Time> time) { return time ? format_seconds(*time) : "none"; };
  return format_seconds(row.time) + ": " + row.event + ", " + end(row.current) + " -> " +
         end(row.candidate) + (row.adopted ? "!" : "");
}

struct Outcome {
  Outcome(const Problem& problem, const Events& events,
          const planning::SimulateOptions& options = {})
      : result(planning::simulate(problem, events, options)),
        before(shown(problem, result.before.placements)),
        after(shown(problem, result.after.placements)),
        cut(shown(problem, result.lost)),
        others(result.platform.clusters().front().reservations) {
    for (const Evaluation& row : result.after.history) history.push_back(shown(row));
  }

  planning::Simulation result;
  std::string before;
  std::string after;
  std::string cut;
  std::vector<Reservation> others;
  std::vector<std::string> history;
};

Workflow chain(TimeSpec first, TimeSpec second, const std::string& name = "w") {
  WorkflowBuilder builder(name);
  builder.add_task({.id = "a", .time = std::move(first)});
  builder.add_task({.id = "b", .time = std::move(second)});
  builder.add_edge(0, 1);
  return std::move(builder).build();
}

struct Where {
  Count processors;
  std::vector<Reservation> reservations = {};
  Time leaves = kForever;
};

Problem on(Workflow workflow, const Where& where) {
  const Cluster cluster{.name = "c",
                        .processors = where.processors,
                        .reservations = where.reservations,
                        .leaves = where.leaves};
  return Problem({std::move(workflow)}, Platform(0, {cluster}));
}

// Both tasks take two processors: a until 10, b until 30.
Problem chain_on(const Where& where) {
  return on(chain(TimeSpec::fixed(10, 2), TimeSpec::fixed(20, 2)), where);
}

// The same beside c, which takes two processors until 30.
Problem three_on(const Where& where) {
  WorkflowBuilder builder("w");
  builder.add_task({.id = "a", .time = TimeSpec::fixed(10, 2)});
  builder.add_task({.id = "b", .time = TimeSpec::fixed(20, 2)});
  builder.add_task({.id = "c", .time = TimeSpec::fixed(30, 2)});
  builder.add_edge(0, 1);
  return on(std::move(builder).build(), where);
}

using Lines = std::vector<std::string>;
using Held = std::vector<Reservation>;

TEST(SimulateCluster, WithoutEventsThePlanIsExecuted) {
  const Outcome run(three_on({.processors = 4}), {});
  EXPECT_EQ(run.before, "a 0-10, b 10-30, c 0-30");
  EXPECT_EQ(run.after, run.before);
  EXPECT_EQ(run.history, Lines{"0: start, none -> 30!"});
  EXPECT_EQ(run.cut, "");
  EXPECT_EQ(run.others, Held{});
}

TEST(SimulateCluster, AReservationMovesWhatWaits) {
  const Outcome run(three_on({.processors = 4}), {reserve(5, 2, 10, 25)});
  EXPECT_EQ(run.before, "a 0-10, b 10-30, c 0-30");
  EXPECT_EQ(run.after, "a 0-10, b 25-45, c 0-30");
  EXPECT_EQ(run.history[1], "5: reserve 2 from 10s to 25s, 45 -> 45");
  EXPECT_EQ(run.others, (Held{{10'000, 25'000, 2}}));
}

TEST(SimulateCluster, AReservationGetsWhatRunningTasksLeaveOver) {
  const Outcome run(three_on({.processors = 4}), {reserve(5, 4, 5, 12)});
  EXPECT_EQ(run.after, "a 0-10, b 12-32, c 0-30");
  EXPECT_EQ(run.cut, "");
  EXPECT_EQ(run.others, (Held{{10'000, 12'000, 2}}));
}

TEST(SimulateCluster, ACancelledReservationLetsANewPlanStartEarlier) {
  const Problem problem = three_on({.processors = 4, .reservations = {{10'000, 25'000, 2}}});
  const Outcome early(problem, {cancel(5, 2, 10, 25)});
  EXPECT_EQ(early.before, "a 0-10, b 25-45, c 0-30");
  EXPECT_EQ(early.after, "a 0-10, b 10-30, c 0-30");
  EXPECT_EQ(early.history[1], "5: cancel 2 from 10s to 25s, 45 -> 30!");
  EXPECT_EQ(early.others, Held{});
  // What has begun of it was held all the same.
  const Outcome begun(problem, {cancel(15, 2, 10, 25)});
  EXPECT_EQ(begun.after, "a 0-10, b 15-35, c 0-30");
  EXPECT_EQ(begun.others, (Held{{10'000, 15'000, 2}}));
}

TEST(SimulateCluster, FailuresTakeIdleProcessorsFirst) {
  const Outcome run(three_on({.processors = 5}), {fail(5, 1, 20)});
  EXPECT_EQ(run.after, "a 0-10, b 10-30, c 0-30");
  EXPECT_EQ(run.cut, "");
  EXPECT_EQ(run.others, (Held{{5'000, 20'000, 1}}));
}

TEST(SimulateCluster, FailuresTakeTheTaskThatStartedLastAndNoMore) {
  // a and c started together; c is the later task. At 10 three processors are left, at 20 all four.
  const Outcome both(three_on({.processors = 4}), {fail(5, 1, 20)});
  EXPECT_EQ(both.after, "a 0-10, b 20-40, c 10-40");
  EXPECT_EQ(both.cut, "c 0-5");
  EXPECT_EQ(both.history[1], "5: fail 1 until 20s, 40 -> 40");
  // At 15 b is the last.
  const Outcome later(three_on({.processors = 4}), {fail(15, 2, 20)});
  EXPECT_EQ(later.after, "a 0-10, b 20-40, c 0-30");
  EXPECT_EQ(later.cut, "b 10-15");
}

TEST(SimulateCluster, OthersWhoGotTooLittleGetNothingOfWhatAFailureTakes) {
  // They have booked all and get nothing while a and c run. The failure needs one of the two.
  const Outcome run(three_on({.processors = 4}), {reserve(5, 4, 5, 40), fail(6, 1, 50)});
  EXPECT_EQ(run.cut, "c 0-6");
  EXPECT_EQ(run.after, "a 0-10, b 50-70, c 40-70");
}

TEST(SimulateCluster, WhatIsLeftOfALateTaskTakesLonger) {
  const Outcome running(chain_on({.processors = 4}), {late(5, 0, 2)});
  EXPECT_EQ(running.after, "a 0-15, b 15-35");
  EXPECT_EQ(running.history[1], "5: late a x2, 35 -> 35");
  const Outcome waiting(chain_on({.processors = 4}), {late(5, 1, 1.5)});
  EXPECT_EQ(waiting.after, "a 0-10, b 10-40");
  // b is due at 10 but has not started; a has ended.
  const Outcome between(chain_on({.processors = 4}), {late(10, 0, 2), late(10, 1, 2)});
  EXPECT_EQ(between.after, "a 0-10, b 10-50");
}

TEST(SimulateCluster, AnEarlyTaskLetsANewPlanStartEarlier) {
  const Outcome run(chain_on({.processors = 4}), {late(4, 0, 0.5)});
  EXPECT_EQ(run.after, "a 0-7, b 7-27");
  EXPECT_EQ(run.history[1], "4: early a x0.5, 30 -> 27!");
}

TEST(SimulateCluster, ThePlanInForceMovedForwardIsAProposalToo) {
  // A planner that finds a plan once.
  const auto once = [found = false](const Problem& problem) mutable {
    if (std::exchange(found, true)) return Plan{.feasible = false};
    return plan(*find_planner("CPA"), problem);
  };
  const Problem problem = chain_on({.processors = 4});
  planning::ClusterWorld world(problem, once);
  const Events events = {late(4, 0, 0.5)};
  planning::KnownEvents feed(events);
  const auto history = planning::follow(world, feed, 0);
  EXPECT_EQ(shown(problem, world.executed().placements), "a 0-7, b 7-27");
  EXPECT_TRUE(history[1].adopted);
}

TEST(SimulateCluster, TheCopyOfATaskThatWasLateIsAsLate) {
  const Outcome run(chain_on({.processors = 2}), {late(5, 0, 2), lost(10, 0)});
  EXPECT_EQ(run.cut, "a 0-10");
  EXPECT_EQ(run.after, "a 10-30, b 30-50");
}

TEST(SimulateCluster, WithinTheBandThePlanIsMovedAndNotMadeAgain) {
  const Outcome once(chain_on({.processors = 4}), {late(5, 0, 1.1)});
  EXPECT_EQ(once.after, "a 0-10.5, b 10.5-30.5");
  EXPECT_EQ(once.history[1], "5: late a x1.1, 30.5 -> none");
  // 8 s become 9.2 s, 7.2 of them 8.28 s: 32 % in all.
  const Outcome twice(chain_on({.processors = 4}), {late(2, 0, 1.15), late(4, 0, 1.15)});
  EXPECT_EQ(twice.after, "a 0-12.28, b 12.28-32.28");
  EXPECT_EQ(twice.history[1], "2: late a x1.15, 31.2 -> none");
  EXPECT_EQ(twice.history[2], "4: late a x1.15, 32.28 -> 32.28");
  // A little early: nothing starts earlier. Without a band it does.
  const Events early = {late(5, 0, 0.9)};
  EXPECT_EQ(Outcome(chain_on({.processors = 4}), early).after, "a 0-9.5, b 10-30");
  EXPECT_EQ(Outcome(chain_on({.processors = 4}), early, {.band = 0}).after, "a 0-9.5, b 9.5-29.5");
}

TEST(SimulateCluster, WithinTheBandAMuchLaterEndIsPlannedFor) {
  // Late by a tenth, b does not fit in front of the reservation any more.
  const Outcome run(chain_on({.processors = 2, .reservations = {{ms(30), ms(90), 2}}}),
                    {late(5, 0, 1.1)});
  EXPECT_EQ(run.history[1], "5: late a x1.1, 110 -> 110");
}

TEST(SimulateCluster, TheBandCountsFromTheLastTimeOfPlanning) {
  const Outcome run(chain_on({.processors = 4}),
                    {late(2, 0, 1.15), reserve(3, 1, 90, 91), late(4, 0, 1.15)});
  EXPECT_EQ(run.history[3], "4: late a x1.15, 32.28 -> none");
}

TEST(SimulateCluster, ALostTaskIsRunAgain) {
  const Outcome run(chain_on({.processors = 2}), {lost(4, 0)});
  EXPECT_EQ(run.after, "a 4-14, b 14-34");
  EXPECT_EQ(run.cut, "a 0-4");
  EXPECT_EQ(run.history[1], "4: lost a, 34 -> 34");
}

TEST(SimulateCluster, OnlyRunningTasksCanBeLost) {
  // b waits, also at the moment at which it is due; a has ended by then.
  const Outcome run(chain_on({.processors = 2}), {lost(4, 1), lost(10, 0), lost(10, 1)});
  EXPECT_EQ(run.after, run.before);
  EXPECT_EQ(run.cut, "");
  EXPECT_EQ(run.history, (Lines{"0: start, none -> 30!", "4: lost b, 30 -> none",
                                "10: lost a, lost b, 30 -> none"}));
}

TEST(SimulateCluster, EventsOfOneInstantAreOneDecision) {
  const Outcome run(chain_on({.processors = 2}), {late(5, 0, 2), reserve(5, 2, 12, 20)});
  EXPECT_EQ(run.after, "a 0-15, b 20-40");
  EXPECT_EQ(run.history,
            (Lines{"0: start, none -> 30!", "5: late a x2, reserve 2 from 12s to 20s, 40 -> 40"}));
  // Others get nothing while a runs.
  EXPECT_EQ(run.others, (Held{{15'000, 20'000, 2}}));
}

TEST(SimulateCluster, EventsAtTheEndAndLaterAreIgnored) {
  const Outcome run(chain_on({.processors = 2}), {fail_for_good(30, 2), lost(99, 1)});
  EXPECT_EQ(run.history.size(), 1U);
  EXPECT_EQ(run.after, run.before);
  EXPECT_EQ(run.others, Held{});
}

TEST(SimulateCluster, AnEventAtTheStartIsAnEvent) {
  const Outcome run(chain_on({.processors = 2}), {reserve(0, 1, 0, 5)});
  EXPECT_EQ(run.before, "a 0-10, b 10-30");
  EXPECT_EQ(run.after, "a 5-15, b 15-35");
  EXPECT_EQ(run.cut, "");
}

TEST(SimulateCluster, WithoutEnoughProcessorsForGoodThereIsNoEnd) {
  const Outcome run(chain_on({.processors = 2}), {fail_for_good(5, 1)});
  EXPECT_EQ(run.before, "a 0-10, b 10-30");
  EXPECT_FALSE(run.result.after.feasible);
  EXPECT_TRUE(run.result.after.placements.empty());
  EXPECT_EQ(run.cut, "a 0-5");
  EXPECT_EQ(run.history[1], "5: fail 1, none -> none");
  EXPECT_EQ(run.others, (Held{{5'000, kForever, 1}}));
  // A moldable task goes on with what is left.
  const Problem moldable =
      on(chain(TimeSpec::amdahl(20, 0), TimeSpec::amdahl(2, 0)), {.processors = 2});
  const Outcome narrow(moldable, {fail_for_good(4, 1)});
  EXPECT_EQ(narrow.before, "a 0-10, b 10-11");
  EXPECT_EQ(narrow.after, "a 4-24, b 24-26");
}

TEST(SimulateCluster, AfterNoPlanAnEventMayBringOne) {
  const Held all_until_20 = {{0, 20'000, 2}};
  const Outcome run(chain_on({.processors = 2, .reservations = all_until_20, .leaves = 45'000}),
                    {late(3, 1, 1.1), cancel(10, 2, 0, 20)});
  EXPECT_FALSE(run.result.before.feasible);
  EXPECT_EQ(run.after, "a 10-20, b 20-42");
  EXPECT_EQ(run.history, (Lines{"0: start, none -> none", "3: late b x1.1, none -> none",
                                "10: cancel 2 from 0s to 20s, none -> 42!"}));
}

TEST(SimulateCluster, WhatNeverHadAPlanIsNoError) {
  const Outcome run(chain_on({.processors = 2, .leaves = 20'000}), {reserve(5, 1, 6, 7)});
  EXPECT_FALSE(run.result.before.feasible);
  EXPECT_FALSE(run.result.after.feasible);
  EXPECT_EQ(run.others, (Held{{6'000, 7'000, 1}}));
}

TEST(SimulateCluster, NothingEndsAfterTheClusterLeaves) {
  const Problem problem = chain_on({.processors = 2, .leaves = 40'000});
  EXPECT_EQ(Outcome(problem, {late(5, 0, 3)}).after, "a 0-20, b 20-40");
  EXPECT_FALSE(Outcome(problem, {late(5, 0, 3.1)}).result.after.feasible);
  // b would run until 50, and is given up.
  const Outcome running(problem, {late(20, 1, 3)});
  EXPECT_FALSE(running.result.after.feasible);
  EXPECT_EQ(running.cut, "b 10-20");
}

TEST(SimulateCluster, TasksWithATimePerResourceAreTasksToo) {
  const Problem problem =
      on(chain(TimeSpec::per_resource({{"c", 10}}), TimeSpec::per_resource({{"d", 1}, {"c", 20}})),
         {.processors = 2});
  const Outcome run(problem, {late(5, 0, 2), reserve(6, 2, 16, 20)});
  EXPECT_EQ(run.before, "a 0-10, b 10-30");
  EXPECT_EQ(run.after, "a 0-15, b 20-40");
}

TEST(SimulateCluster, TasksAreCountedOverAllWorkflows) {
  const auto one = [](const std::string& name) {
    return chain(TimeSpec::fixed(10), TimeSpec::fixed(20), name);
  };
  const Problem problem({one("v"), one("w")}, Platform::empty(2));
  const Outcome run(problem, {lost(4, 2)});
  EXPECT_EQ(run.cut, "a 0-4");
  EXPECT_EQ(run.result.lost[0].workflow, 1U);
  EXPECT_EQ(run.after, "a 0-10, b 10-30, a 4-14, b 14-34");
  EXPECT_EQ(run.history[1], "4: lost w/a, 34 -> 34");
}

// Each task takes 20 s on one processor, a tenth of it whatever the processors.
Problem by_deadline(double deadline) {
  const TimeSpec time = TimeSpec::amdahl(20, 0.1);
  return Problem({chain(time, time)}, Platform::empty(8), Goal::deadline, ms(deadline));
}

TEST(SimulateDeadline, APlanThatWouldMissItIsMadeWider) {
  const Outcome run(by_deadline(40), {reserve(5, 8, 20, 30)});
  EXPECT_EQ(run.before, "a 0-20, b 20-40");
  EXPECT_EQ(run.result.after.deadline, ms(40));
  ASSERT_EQ(run.history.size(), 2U);
  EXPECT_EQ(run.result.after.history[1].current, ms(50));
  EXPECT_TRUE(run.result.after.history[1].adopted);
  // Three processors are the fewest on which b takes at most 10 s.
  const Placement& wide = run.result.after.placements[1];
  EXPECT_EQ(wide.procs, 3);
  EXPECT_EQ(wide.end - wide.start, ms(8));
  EXPECT_GE(wide.start, ms(30));
  EXPECT_LE(wide.end, ms(40));
}

TEST(SimulateDeadline, OnceMissedThePlanEndsAsEarlyAsItCan) {
  const Outcome run(by_deadline(40), {reserve(5, 8, 20, 39)});
  EXPECT_TRUE(run.result.after.feasible);
  EXPECT_EQ(run.after, "a 0-20, b 39-43.25");
  EXPECT_EQ(run.history[1], "5: reserve 8 from 20s to 39s, 59 -> 43.25!");
  // Also when the deadline has passed: b began on all processors and is lost at 41.
  const Outcome passed(by_deadline(40), {reserve(5, 8, 20, 39), lost(41, 1)});
  EXPECT_EQ(passed.after, "a 0-20, b 41-45.25");
}

TEST(SimulateDeadline, AnEarlyTaskMakesTheRestCheaper) {
  // Two processors each, 11 s. When a ends at 4, b may take its 20 s on one.
  const Outcome run(by_deadline(25), {late(1, 0, 0.3)});
  EXPECT_EQ(run.before, "a 0-11, b 11-22");
  EXPECT_EQ(run.result.before.placements[1].procs, 2);
  EXPECT_EQ(run.after, "a 0-4, b 4-24");
  EXPECT_EQ(run.result.after.placements[1].procs, 1);
  EXPECT_EQ(run.history[1], "1: early a x0.3, 22 -> 24!");
}

TEST(SimulateDeadline, PlannersByNameMeetItToo) {
  for (const char* name : {"BL_CPAR_BD_CPAR", "DL_BD_CPAR", "DL_RC_CPAR"}) {
    const planning::SimulateOptions options{.planner = find_planner(name)};
    const Outcome run(by_deadline(40), {reserve(1, 8, 20, 30)}, options);
    ASSERT_TRUE(run.result.after.feasible) << name;
    EXPECT_LE(makespan(run.result.after), ms(40)) << name;
    EXPECT_EQ(run.result.after.algorithm, name);
  }
}

TEST(SimulatePool, TheSampleGraph) {
  const Problem problem = sample_problem(10'000'000);
  EXPECT_EQ(makespan(planning::simulate(problem, {}).after), ms(80));
  // r4 joins at 15: a better plan is found.
  const Outcome joined(problem, Events{join(15, 3)});
  EXPECT_EQ(joined.history[1], "15: join r4, 80 -> 76!");
  // HEFT has no ears for it.
  const planning::SimulateOptions heft{.planner = find_planner("HEFT")};
  const Outcome deaf(problem, Events{join(15, 3)}, heft);
  EXPECT_EQ(deaf.history[1], "15: join r4, 80 -> none");
  EXPECT_EQ(makespan(deaf.result.after), ms(80));
  EXPECT_EQ(makespan(planning::simulate(problem, Events{slow(20, 1, 3)}, heft).after), ms(143));
  EXPECT_LE(makespan(planning::simulate(problem, Events{slow(20, 1, 3)}).after), ms(108));
}

TEST(SimulatePool, HeftMovesItsPlanBehindALateOrLostTask) {
  const Problem problem = sample_problem(10'000'000);
  const planning::SimulateOptions heft{.planner = find_planner("HEFT")};
  const Outcome all(problem, Events{lost(5, 0)}, heft);
  EXPECT_EQ(all.cut, "n1 0-5 r3");
  EXPECT_EQ(all.after,
            "n1 5-14 r3, n2 32-45 r1, n3 14-33 r3, n4 23-31 r2, n5 33-43 r3, n6 31-47 r2, "
            "n7 43-54 r3, n8 62-67 r1, n9 61-73 r2, n10 78-85 r2");
  EXPECT_EQ(all.history[1], "5: lost n1, 85 -> none");
  const Outcome some(problem, Events{late(30, 1, 2)}, heft);
  EXPECT_EQ(some.after,
            "n1 0-9 r3, n2 27-50 r1, n3 9-28 r3, n4 18-26 r2, n5 28-38 r3, n6 26-42 r2, "
            "n7 38-49 r3, n8 57-62 r1, n9 66-78 r2, n10 78-85 r2");
  EXPECT_EQ(some.history[1], "30: late n2 x2, 85 -> none");
}

// a takes 4 s on r1 and 10 s on r2, b after it 6 s and 10 s.
Problem small_pool() {
  return Problem({chain(TimeSpec::per_resource({{"r1", 4}, {"r2", 10}}),
                        TimeSpec::per_resource({{"r1", 6}, {"r2", 10}}))},
                 Platform(0, {{.name = "r1", .processors = 1}, {.name = "r2", .processors = 1}}));
}

class SimulateSmallPool : public ::testing::TestWithParam<const char*> {
 protected:
  Outcome run(const Events& events) const {
    return Outcome(small_pool(), events, {.planner = find_planner(GetParam())});
  }
  bool is_heft() const { return std::string(GetParam()) == "HEFT"; }
};

TEST_P(SimulateSmallPool, LateAndLostTasks) {
  EXPECT_EQ(run({}).after, "a 0-4 r1, b 4-10 r1");
  EXPECT_EQ(run({late(2, 0, 2)}).after, "a 0-6 r1, b 6-12 r1");
  EXPECT_EQ(run({late(2, 1, 1.5)}).after, "a 0-4 r1, b 4-13 r1");
  EXPECT_EQ(run({late(2, 0, 0.5)}).after, "a 0-3 r1, b 3-9 r1");
  const Outcome again = run({lost(2, 0)});
  EXPECT_EQ(again.after, "a 2-6 r1, b 6-12 r1");
  EXPECT_EQ(again.cut, "a 0-2 r1");
  EXPECT_EQ(run({late(2, 0, 2), lost(3, 0)}).after, "a 3-11 r1, b 11-17 r1");
}

TEST_P(SimulateSmallPool, SlowResources) {
  EXPECT_EQ(run({slow(2, 0, 2)}).after, is_heft() ? "a 0-6 r1, b 6-18 r1" : "a 0-6 r1, b 6-16 r2");
}

TEST_P(SimulateSmallPool, ResourcesThatLeave) {
  const Outcome sudden = run({leave(5, 0)});
  EXPECT_EQ(sudden.after, "a 0-4 r1, b 5-15 r2");
  EXPECT_EQ(sudden.cut, "b 4-5 r1");
  // Nothing may end on r1 after 9: b is done elsewhere. After 3: a is, at once.
  EXPECT_EQ(run({leave_later(2, 0, 9)}).after, "a 0-4 r1, b 4-14 r2");
  const Outcome at_once = run({leave_later(2, 0, 3)});
  EXPECT_EQ(at_once.after, "a 2-12 r2, b 12-22 r2");
  EXPECT_EQ(at_once.cut, "a 0-2 r1");
  // It would have been in time, but for being late.
  const Outcome too_late = run({leave_later(1, 0, 5), late(2, 0, 2)});
  EXPECT_EQ(too_late.after, "a 2-22 r2, b 22-32 r2");
  EXPECT_EQ(too_late.cut, "a 0-2 r1");
}

TEST_P(SimulateSmallPool, WithoutResourcesThereIsNoEnd) {
  const Outcome run_dry = run({leave(1, 1), leave(2, 0)});
  EXPECT_FALSE(run_dry.result.after.feasible);
  EXPECT_EQ(run_dry.cut, "a 0-2 r1");
}

INSTANTIATE_TEST_SUITE_P(Planners, SimulateSmallPool,
                         ::testing::Values("AHEFT", "AHEFT_PAPER", "HEFT", "MINMIN"),
                         [](const auto& planner) { return std::string(planner.param); });

TEST(SimulatePool, FilesOnTheirWayToAResourceThatLeavesAreLost) {
  // b is wanted on r2, where a's file arrives after r2 has left and come back: it is sent again.
  WorkflowBuilder builder("w");
  builder.add_task({.id = "a", .time = TimeSpec::per_resource({{"r1", 10}})});
  builder.add_task({.id = "b", .time = TimeSpec::per_resource({{"r2", 10}})});
  builder.add_edge(0, 1, ms(35));
  const Problem problem(
      {std::move(builder).build()},
      Platform(0, {{.name = "r1", .processors = 1}, {.name = "r2", .processors = 1}}));
  for (const Event& gone : {leave(40, 1), leave_later(20, 1, 40)}) {
    const Outcome run(problem, {gone, join(46, 1)});
    EXPECT_EQ(run.after, "a 0-10 r1, b 81-91 r2");
  }
}

TEST(SimulatePool, HeftTakesItsOwnResourcesBack) {
  const planning::SimulateOptions heft{.planner = find_planner("HEFT")};
  EXPECT_EQ(Outcome(small_pool(), {leave_later(2, 0, 9), join(3, 0)}, heft).after,
            "a 0-4 r1, b 4-14 r2");
  EXPECT_EQ(Outcome(small_pool(), {leave(2, 0), leave(3, 1), join(5, 0)}, heft).after,
            "a 5-9 r1, b 9-15 r1");
}

// Two tasks of 10 s that r1 alone can run.
Problem two_on_r1() {
  WorkflowBuilder builder("w");
  for (const char* id : {"a", "b"}) {
    builder.add_task({.id = id, .time = TimeSpec::per_resource({{"r1", 10}})});
  }
  return Problem({std::move(builder).build()},
                 Platform(0, {{.name = "r1", .processors = 1}, {.name = "r2", .processors = 1}}));
}

TEST(SimulatePool, MinMinLeavesNoResourceIdle) {
  const planning::SimulateOptions min_min{.planner = find_planner("MINMIN")};
  const auto after = [&](const Event& event) {
    return Outcome(two_on_r1(), {event}, min_min).after;
  };
  EXPECT_EQ(after(slow(2, 0, 0.1)), "a 0-2.8 r1, b 2.8-3.8 r1");
  EXPECT_EQ(after(late(2, 0, 0.1)), "a 0-2.8 r1, b 2.8-12.8 r1");
  EXPECT_EQ(after(lost(2, 0)), "a 12-22 r1, b 2-12 r1");
}

TEST(SimulatePool, AResourceThatJoinsLaterIsNotThereBefore) {
  const Outcome run(small_pool(), {join(1, 0)});
  EXPECT_EQ(run.before, "a 0-10 r2, b 10-20 r2");
  EXPECT_EQ(run.after, "a 0-10 r2, b 10-16 r1");
}

TEST(SimulatePool, AResourceThatWasToLeaveMayStay) {
  EXPECT_EQ(Outcome(small_pool(), {leave_later(2, 0, 9), join(3, 0)}).after, "a 0-4 r1, b 4-10 r1");
}

TEST(Simulate, HoweverLateTimesStayInRange) {
  const Events events{late(1, 0, 1e6), late(2, 0, 1e6), late(3, 0, 1e6), late(3, 1, 1e6)};
  for (const Problem& problem : {small_pool(), chain_on({.processors = 2})}) {
    const planning::Simulation result = planning::simulate(problem, events);
    ASSERT_TRUE(result.after.feasible);
    EXPECT_GE(makespan(result.after), ms(1e10));
    EXPECT_LE(makespan(result.after), ms(3e10));
  }
}

TEST(SimulatePool, TheBandHoldsForResourcesToo) {
  const Outcome once(small_pool(), {slow(2, 0, 1.1)});
  EXPECT_EQ(once.history[1], "2: slow r1 x1.1, 10.8 -> none");
  const Outcome twice(small_pool(), {slow(2, 0, 1.1), slow(3, 0, 1.3)});
  EXPECT_NE(twice.result.after.history[2].candidate, std::nullopt);
}

TEST(Simulate, SaysWhatItCannotDo) {
  EXPECT_EQ(planning::simulate_unfit(chain_on({.processors = 2})), "");
  EXPECT_EQ(planning::simulate_unfit(small_pool()), "");
  const planning::SimulateOptions heft{.planner = find_planner("HEFT")};
  EXPECT_EQ(planning::simulate_unfit(chain_on({.processors = 2}), heft),
            "HEFT follows several resources only");
  const planning::SimulateOptions cpa{.planner = find_planner("CPA")};
  EXPECT_EQ(planning::simulate_unfit(small_pool(), cpa), "CPA follows one cluster only");
}

TEST(Simulate, TheSameInputGivesTheSameResult) {
  const Events events = {late(2, 0, 2), fail(3, 1, 9), reserve(3, 1, 4, 8)};
  const planning::Simulation one = planning::simulate(three_on({.processors = 4}), events);
  const planning::Simulation two = planning::simulate(three_on({.processors = 4}), events);
  EXPECT_EQ(one.after, two.after);
  EXPECT_EQ(one.lost, two.lost);
}

TEST(Event, IsDescribedInOneLine) {
  const Problem problem = small_pool();
  const auto text = [&](const Event& event) { return describe(event, problem); };
  EXPECT_EQ(text(join(1, 1)), "join r2");
  EXPECT_EQ(text(leave(1, 0)), "leave r1");
  EXPECT_EQ(text(leave_later(1, 0, 90.5)), "leave r1 at 1m31s");
  EXPECT_EQ(text(slow(1, 1, 1.25)), "slow r2 x1.25");
  EXPECT_EQ(text(reserve(1, 16, 900, 1800)), "reserve 16 from 15m to 30m");
  EXPECT_EQ(text(cancel(1, 16, 900, 1800)), "cancel 16 from 15m to 30m");
  EXPECT_EQ(text(fail(1, 2, 30)), "fail 2 until 30s");
  EXPECT_EQ(text(fail_for_good(1, 2)), "fail 2");
  EXPECT_EQ(text(late(1, 1, 1.5)), "late b x1.5");
  EXPECT_EQ(text(late(1, 0, 0.5)), "early a x0.5");
  EXPECT_EQ(text(lost(1, 1)), "lost b");
}

}  // namespace
}  // namespace dovetail::planning
