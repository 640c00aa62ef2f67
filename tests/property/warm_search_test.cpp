// Planning again from the plan in hand: never worse than keeping it, with few tasks moved.
#include "planners/replan/warm_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "dovetail/answer.hpp"
#include "dovetail/check.hpp"
#include "dovetail/metrics.hpp"
#include "planners/replan/cluster_world.hpp"
#include "support/random_problem.hpp"

namespace dovetail {
namespace {

using testing::Dice;

TEST(MovedTasks, AreThoseWithOtherProcessorsOrOutOfOrder) {
  const std::vector<planning::Slot> before{
      {2, 0, 10}, {2, 0, 10}, {4, 10, 20}, {4, 20, 30}, {4, 30, 40}};
  EXPECT_EQ(planning::moved_tasks(before, before), 0);
  std::vector<planning::Slot> later = before;
  for (planning::Slot& slot : later) slot = {slot.procs, slot.start + 7, slot.end + 7};
  later[1].start += 2;
  EXPECT_EQ(planning::moved_tasks(before, later), 0)
      << "later, one of two that began together by more";
  std::vector<planning::Slot> narrow = before;
  narrow[2].procs = 3;
  EXPECT_EQ(planning::moved_tasks(before, narrow), 1);
  std::vector<planning::Slot> last_first{
      {2, 10, 20}, {2, 10, 20}, {4, 20, 30}, {4, 30, 40}, {4, 0, 10}};
  EXPECT_EQ(planning::moved_tasks(before, last_first), 1) << "the others start in the same order";
  std::vector<planning::Slot> reversed{
      {2, 30, 40}, {2, 30, 40}, {4, 20, 30}, {4, 10, 20}, {4, 0, 10}};
  EXPECT_EQ(planning::moved_tasks(before, reversed), 3);
  EXPECT_EQ(planning::moved_tasks({}, {}), 0);
}

std::vector<planning::Slot> slots_of(const Plan& plan) {
  std::vector<planning::Slot> slots;
  for (const Placement& placed : plan.placements) {
    slots.push_back({placed.procs, placed.start, placed.end});
  }
  return slots;
}

Plan with_slots(const Plan& plan, const std::vector<planning::Slot>& slots) {
  Plan other = plan;
  for (std::size_t task = 0; task < slots.size(); ++task) {
    Placement& placed = other.placements[task];
    placed.procs = slots[task].procs;
    placed.start = slots[task].start;
    placed.end = slots[task].end;
  }
  return other;
}

// What one processor after the other for every task gives: much can be done better.
Plan poor_plan(const Problem& problem) { return plan(*find_planner("BL_1_BD_CPAR"), problem); }

TEST(SearchFrom, IsNeverWorseThanThePlanInHandAndSaysTheSameAgain) {
  std::size_t better = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = testing::random_problem(seed, {.max_tasks = 20});
    const Plan in_hand = poor_plan(problem);
    for (const double stability : {0.0, 0.1, 1.0}) {
      PlanningContext context(problem);
      const auto slots =
          planning::search_from(context, slots_of(in_hand), {.stability = stability});
      const Plan found = with_slots(in_hand, slots);
      ASSERT_EQ(check(problem, found), std::vector<std::string>{});
      ASSERT_LE(makespan(found), makespan(in_hand));
      PlanningContext once_more(problem);
      EXPECT_EQ(planning::search_from(once_more, slots_of(in_hand), {.stability = stability}),
                slots);
      const auto most = std::max<double>(
          static_cast<double>(consumed(in_hand)),
          1.25 * static_cast<double>(consumed(plan(*find_planner("BL_CPAR_BD_CPAR"), problem))));
      EXPECT_LE(static_cast<double>(consumed(found)), most);
      better += stability == 0 && makespan(found) < makespan(in_hand);
    }
  }
  EXPECT_GT(better, 60);
}

TEST(SearchFrom, ADeadlineIsMetAndThenMadeCheap) {
  std::size_t cheaper = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = testing::random_problem(seed, {.max_tasks = 15});
    const Plan in_hand = poor_plan(problem);
    const Time end = problem.now() + makespan(in_hand);
    for (const double share : {0.5, 0.9, 1.0, 1.5}) {
      const auto span = static_cast<double>(makespan(in_hand));
      const Time deadline = problem.now() + static_cast<Time>(span * share);
      PlanningContext context(problem);
      const Plan found = with_slots(
          in_hand, planning::search_from(context, slots_of(in_hand), {.deadline = deadline}));
      ASSERT_EQ(check(problem, found), std::vector<std::string>{});
      const Time found_end = problem.now() + makespan(found);
      if (end > deadline) {
        EXPECT_LE(found_end, end);
      } else {
        EXPECT_LE(found_end, deadline);
        EXPECT_LE(consumed(found), consumed(in_hand));
        cheaper += consumed(found) < consumed(in_hand);
      }
    }
  }
  EXPECT_GT(cheaper, 100);
}

TEST(SearchFrom, WhatEndsBeforeOtherThingsDoStaysAsItIs) {
  const Problem problem = testing::random_problem(3, {.max_tasks = 20});
  const Plan in_hand = poor_plan(problem);
  PlanningContext context(problem);
  const Time later = problem.now() + makespan(in_hand) + 1;
  EXPECT_EQ(
      planning::moved_tasks(slots_of(in_hand), planning::search_from(context, slots_of(in_hand),
                                                                     {.busy_until = later})),
      0);
}

// One event in the middle of a good plan, and the decision about it.
struct Decision {
  Evaluation made = {};
  Time end = 0;       // of the plan that is in force then
  Time kept_end = 0;  // if sizes and order were kept, each task as early as it can
  std::size_t waiting = 0;
};

enum class Happening { late, reserved, back };

class Happenings {
 public:
  Happenings(std::uint64_t seed, Happening what) : dice_(seed), problem_(make_problem(what)) {
    PlanningContext context(problem_);
    const Plan poor = poor_plan(problem_);
    plan_ = find_answer(context, {.haste = Haste::replanning, .begin_with = {&poor, 1}}).plan;
    now_ = problem_.now() + makespan(plan_) * dice_.between(20, 50) / 100;
    add_events(what);
  }

  Decision decide(const planning::ClusterWorldOptions& options) const {
    bool is_first = true;
    const auto once = [&](const Problem& problem) {
      return std::exchange(is_first, false) ? plan_ : Plan{.now = problem.now(), .feasible = false};
    };
    planning::ClusterWorld world(problem_, once, options);
    planning::evaluate(world, problem_.now(), "start");
    world.advance(now_);
    world.apply(events_);
    Decision decision;
    if (!world.current_end()) return decision;
    for (const Placement& placed : world.executed().placements) {
      decision.waiting += placed.start >= now_;
    }
    decision.made = planning::evaluate(world, now_, "event");
    decision.end = *world.current_end();
    return decision;
  }

 private:
  static constexpr Count kProcs = 16;

  Problem make_problem(Happening what) {
    testing::RandomProblemOptions options{.max_tasks = 30, .all_models = false};
    Cluster cluster = testing::random_platform(dice_, options).clusters().front();
    cluster.processors = std::max(cluster.processors, kProcs);
    cluster.reservations.clear();
    booking_ = {0, 2'000'000, cluster.processors * 2 / 5};
    if (what == Happening::back) cluster.reservations.push_back(booking_);
    return Problem({testing::random_workflow(dice_, options, cluster.processors)},
                   Platform(0, {cluster}));
  }

  void add_events(Happening what) {
    if (what == Happening::late) {
      for (std::uint32_t task = 0; task < plan_.placements.size(); ++task) {
        const Placement& placed = plan_.placements[task];
        if (placed.start >= now_ || placed.end <= now_) continue;
        events_.push_back({.time = now_, .kind = Event::Kind::late, .factor = 1.5, .task = task});
      }
      return;
    }
    const bool is_back = what == Happening::back;
    events_.push_back({.time = now_,
                       .kind = is_back ? Event::Kind::cancel : Event::Kind::reserve,
                       .until = is_back ? booking_.end : now_ + makespan(plan_) / 2,
                       .start = is_back ? booking_.start : now_,
                       .procs = booking_.procs});
  }

  Dice dice_;
  Reservation booking_ = {};
  Problem problem_;
  Plan plan_;
  Time now_ = 0;
  std::vector<Event> events_;
};

TEST(Stability, NoDecisionIsWorseThanKeepingAndFewTasksMoveWhereMuchIsAsked) {
  for (const Happening what : {Happening::late, Happening::reserved, Happening::back}) {
    std::size_t waiting = 0;
    std::size_t moved[3] = {};
    Duration rest[3] = {};
    Duration rest_kept = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      const Happenings one(seed, what);
      const Decision kept = one.decide({});  // nobody searches
      if (kept.waiting == 0) continue;
      waiting += kept.waiting;
      rest_kept += kept.end - kept.made.time;
      const double kinds[] = {0, planning::kStability, 1};
      for (std::size_t i = 0; i < 3; ++i) {
        const Decision decision = one.decide({.stability = kinds[i], .searches = true});
        ASSERT_LE(decision.end, *kept.made.current);
        ASSERT_LE(decision.end, kept.end) << "sizes and order kept, as early as can be";
        rest[i] += decision.end - kept.made.time;
        if (!decision.made.adopted) continue;
        moved[i] += *decision.made.moved;
        const auto gained = static_cast<double>(*decision.made.current - decision.end) /
                            static_cast<double>(*decision.made.current - decision.made.time);
        const auto share =
            static_cast<double>(*decision.made.moved) / static_cast<double>(decision.waiting);
        EXPECT_GE(gained, kinds[i] * share);
      }
    }
    EXPECT_GT(waiting, 100);
    EXPECT_LT(rest[0], rest_kept);
    EXPECT_LE(rest[0], rest[1]);
    EXPECT_LE(rest[1], rest[2]);
    EXPECT_LE(moved[1], moved[0]);
    EXPECT_LT(moved[2], waiting / 20);
  }
}

}  // namespace
}  // namespace dovetail
