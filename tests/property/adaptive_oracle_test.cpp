// The planners for heterogeneous resources against a plain reading of their specification, task by
// task, and what must hold for all their plans.
#include <gtest/gtest.h>

#include <string>

#include "dovetail/check.hpp"
#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"
#include "oracles/plain_min_min.hpp"
#include "planners/pool/min_min.hpp"
#include "planners/pool/pool.hpp"
#include "support/listed_events.hpp"
#include "support/random_pool.hpp"

namespace dovetail {
namespace {

using testing::Dice;
using testing::RandomPool;
using testing::RandomPoolOptions;

// What the platform says about joins and leaves.
struct PoolCourse {
  std::vector<std::size_t> pool;
  std::vector<plain::Change> changes;
};

PoolCourse course_of(const Platform& platform) {
  PoolCourse course;
  for (std::size_t r = 0; r < platform.clusters().size(); ++r) {
    const Cluster& cluster = platform.clusters()[r];
    if (cluster.leaves <= platform.now()) continue;
    if (cluster.joins <= platform.now()) {
      course.pool.push_back(r);
    } else {
      course.changes.push_back({.time = cluster.joins, .what = plain::Change::join, .resource = r});
    }
    if (cluster.leaves < kForever) {
      course.changes.push_back(
          {.time = cluster.leaves, .what = plain::Change::leave, .resource = r});
    }
  }
  std::stable_sort(course.changes.begin(), course.changes.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  return course;
}

plain::Spots spots_of(const Plan& plan) {
  plain::Spots spots;
  for (const Placement& placement : plan.placements) {
    spots.push_back(plain::Spot{placement.cluster, placement.start, placement.end});
  }
  return spots;
}

plain::Spots spots_of(const planning::Schedule& schedule) {
  plain::Spots spots;
  for (const planning::Assignment& task : schedule.tasks) {
    spots.push_back(plain::Spot{task.resource, task.start, task.end});
  }
  return spots;
}

void expect_same_spots(const plain::Spots& ours, const plain::Spots& expected) {
  ASSERT_EQ(ours.size(), expected.size());
  for (std::size_t job = 0; job < ours.size(); ++job) {
    ASSERT_TRUE(expected[job].has_value()) << "job " << job;
    ASSERT_EQ(ours[job]->resource, expected[job]->resource) << "job " << job;
    ASSERT_EQ(ours[job]->start, expected[job]->start) << "job " << job;
    ASSERT_EQ(ours[job]->end, expected[job]->end) << "job " << job;
  }
}

void expect_same_history(std::span<const Evaluation> ours,
                         const std::vector<plain::Course::Entry>& expected) {
  ASSERT_EQ(ours.size(), expected.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    ASSERT_EQ(ours[i].time, expected[i].time) << "evaluation " << i;
    ASSERT_EQ(ours[i].current, expected[i].current) << "evaluation " << i;
    ASSERT_EQ(ours[i].candidate, expected[i].candidate) << "evaluation " << i;
    ASSERT_EQ(ours[i].adopted, expected[i].adopted) << "evaluation " << i;
  }
}

void expect_same_versions(std::span<const PlanVersion> ours,
                          const std::vector<plain::Course::Version>& expected) {
  ASSERT_EQ(ours.size(), expected.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const auto& clusters = ours[i].clusters;
    ASSERT_EQ(ours[i].time, expected[i].time) << "version " << i;
    ASSERT_EQ(std::vector<std::size_t>(clusters.begin(), clusters.end()), expected[i].resources)
        << "version " << i;
  }
}

// The planners of the table.

void expect_course(const Plan& ours, const plain::Course& expected) {
  expect_same_history(ours.history, expected.history);
  ASSERT_EQ(ours.feasible, expected.feasible);
  if (!ours.feasible) return;
  expect_same_spots(spots_of(ours), expected.spots);
  expect_same_versions(ours.versions, expected.versions);
}

void expect_plans_as_specified(const Problem& problem) {
  const plain::Dag dag(problem);
  const auto [pool, changes] = course_of(problem.platform());
  const plain::AdaptiveRules mean{.ranks = {plain::RankBy::mean}, .files = {plain::Files::literal}};

  const Plan heft = plan(*find_planner("HEFT"), problem);
  const plain::Course once = plain::Adaptive(dag, problem.now(), pool, mean).run({});
  ASSERT_EQ(heft.feasible, once.feasible) << "HEFT";
  if (heft.feasible) expect_same_spots(spots_of(heft), once.spots);

  SCOPED_TRACE("AHEFT");
  expect_course(plan(*find_planner("AHEFT"), problem),
                plain::Adaptive(dag, problem.now(), pool).run(changes));
  SCOPED_TRACE("AHEFT_PAPER");
  expect_course(plan(*find_planner("AHEFT_PAPER"), problem),
                plain::Adaptive(dag, problem.now(), pool, mean).run(changes));
  SCOPED_TRACE("MINMIN");
  const Plan min_min = plan(*find_planner("MINMIN"), problem);
  const plain::Spots spots = plain::MinMin(dag, problem.now(), pool).run(changes);
  ASSERT_EQ(min_min.feasible, std::find(spots.begin(), spots.end(), std::nullopt) == spots.end());
  if (min_min.feasible) expect_same_spots(spots_of(min_min), spots);
}

void compare_planners(std::uint64_t first, std::uint64_t last, const RandomPoolOptions& options,
                      std::size_t workflows = 1) {
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_plans_as_specified(RandomPool(seed, options).problem(workflows));
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(AdaptiveOracle, PlannersOfTheTable) { compare_planners(1, 1500, {}); }

TEST(AdaptiveOracle, TiesOfMillisecondTasks) {
  compare_planners(10'001, 11'500, {.tiny_times = true});
}

TEST(AdaptiveOracle, TasksThatDoNotRunEverywhere) {
  compare_planners(20'001, 20'500, {.missing_times = true});
}

TEST(AdaptiveOracle, PoolsThatLoseMostResources) {
  compare_planners(30'001, 30'700, {.tiny_times = true, .leaves = 0.8});
}

TEST(AdaptiveOracle, SeveralWorkflowsAreOneGraph) {
  compare_planners(40'001, 40'200, {.max_tasks = 10}, 3);
}

// Everything that can happen, under every option.

plain::AdaptiveRules rules_of(const planning::AheftOptions& options) {
  static_assert(static_cast<int>(planning::RankRule::median) ==
                static_cast<int>(plain::RankBy::median));
  static_assert(static_cast<int>(planning::TransferModel::multicast) ==
                static_cast<int>(plain::Files::multicast));
  plain::AdaptiveRules rules{.ranks = {},
                             .files = {},
                             .append = options.slots == planning::SlotRule::append,
                             .restart = options.restart,
                             .once = options.plans_once};
  for (planning::RankRule rank : options.ranks) {
    rules.ranks.push_back(static_cast<plain::RankBy>(rank));
  }
  for (planning::TransferModel model : options.transfers) {
    rules.files.push_back(static_cast<plain::Files>(model));
  }
  return rules;
}

planning::AheftOptions random_options(Dice& dice) {
  using enum planning::TransferModel;
  const std::vector<std::vector<planning::TransferModel>> transfers = {
      {inflight}, {literal}, {multicast}, {inflight, literal}, {literal, inflight}};
  planning::AheftOptions options;
  options.transfers = transfers[static_cast<std::size_t>(dice.between(0, 4))];
  if (dice.chance(0.6)) options.ranks = {static_cast<planning::RankRule>(dice.between(0, 3))};
  options.slots = dice.chance(0.3) ? planning::SlotRule::append : planning::SlotRule::insertion;
  options.restart = dice.chance(0.3);
  return options;
}

plain::Change::What what_of(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::join:
      return plain::Change::join;
    case Event::Kind::leave:
      return plain::Change::leave;
    case Event::Kind::leave_later:
      return plain::Change::leave_later;
    case Event::Kind::slow:
      return plain::Change::slow;
    case Event::Kind::late:
      return plain::Change::late;
    default:
      return plain::Change::lost;
  }
}

std::vector<plain::Change> changes_of(std::span<const Event> events) {
  std::vector<plain::Change> changes;
  for (const Event& event : events) {
    changes.push_back(
        {event.time, what_of(event.kind), event.resource, event.until, event.factor, event.task});
  }
  return changes;
}

// The specification does not say whether a plan that is moved goes on with files that nobody sent.
void keep_joins_and_leaves(std::vector<Event>& events) {
  std::erase_if(events,
                [](const auto& event) { return what_of(event.kind) >= plain::Change::slow; });
}

void expect_world_as_specified(RandomPool& random, const planning::AheftOptions* options) {
  const Problem problem = random.problem();
  std::vector<planning::ResourceId> pool;
  std::vector<Event> events = random.events(pool);
  const planning::AheftOptions rules =
      options != nullptr ? *options : random_options(random.dice());
  if (rules.transfers == std::vector{planning::TransferModel::multicast}) {
    keep_joins_and_leaves(events);
  }

  const planning::CostGraph graph(problem);
  planning::AheftWorld world(graph, random.now(), pool, rules);
  const auto history = testing::follow_list(world, events, random.now());

  const plain::Dag dag(problem);
  plain::Adaptive oracle(dag, random.now(), {pool.begin(), pool.end()}, rules_of(rules));
  const plain::Course expected = oracle.run(changes_of(events));
  expect_same_history(history, expected.history);
  ASSERT_EQ(world.current_end().has_value(), expected.feasible);
  if (!expected.feasible) return;
  expect_same_spots(spots_of(world.schedule()), expected.spots);
  expect_same_versions(world.versions(), expected.versions);
}

// Without options: random ones.
void compare_worlds(std::uint64_t first, std::uint64_t last, const RandomPoolOptions& pools,
                    const planning::AheftOptions* options = nullptr) {
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomPool random(seed, pools);
    expect_world_as_specified(random, options);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// A rule of the table, on resources that often leave and come back.
void compare_rule(std::uint64_t first, const PoolRule& rule) {
  compare_worlds(first, first + 999, {.leaves = 0.6, .task_events = 3}, &rule.options);
  compare_worlds(first + 1000, first + 3999,
                 {.max_tasks = 15, .tiny_times = true, .leaves = 0.6, .task_events = 3},
                 &rule.options);
}

TEST(AdaptiveOracle, WorldsWithEverythingThatCanHappen) {
  compare_worlds(50'001, 53'000, {.task_events = 4});
}

TEST(AdaptiveOracle, WorldsOfMillisecondTasks) {
  compare_worlds(60'001, 63'000, {.tiny_times = true, .leaves = 0.6, .task_events = 2});
}

TEST(AdaptiveOracle, WorldsOfTasksThatDoNotRunEverywhere) {
  compare_worlds(70'001, 70'300, {.missing_times = true});
}

TEST(AdaptiveOracle, WorldsOfAheft) { compare_rule(90'001, planning::aheft_rule()); }
TEST(AdaptiveOracle, WorldsOfAheftOfThePaper) {
  compare_rule(94'001, planning::aheft_paper_rule());
}
TEST(AdaptiveOracle, WorldsOfHeftThatPlansOnce) { compare_rule(98'001, planning::heft_rule()); }

TEST(AdaptiveOracle, RanksUnderEveryRule) {
  for (std::uint64_t seed = 75'001; seed <= 75'200; ++seed) {
    RandomPool random(seed);
    const Problem problem = random.problem();
    std::vector<planning::ResourceId> pool;
    random.events(pool);
    const planning::CostGraph graph(problem);
    planning::Situation situation(graph, random.now());
    situation.pool = pool;
    const plain::Dag dag(problem);
    const plain::Adaptive oracle(dag, random.now(), {pool.begin(), pool.end()});
    ASSERT_EQ(oracle.rank_scale(), static_cast<std::int64_t>(2 * pool.size()));
    for (int rule = 0; rule < 4; ++rule) {
      const auto ours = planning::ranks(graph, situation, static_cast<planning::RankRule>(rule));
      const auto expected = oracle.ranks(static_cast<plain::RankBy>(rule));
      for (std::size_t job = 0; job < ours.size(); ++job) {
        ASSERT_EQ(ours[job], static_cast<double>(expected[job]))
            << "seed " << seed << " rule " << rule << " job " << job;
      }
    }
  }
}

// Resources that left come back, some at once.
void add_returns(Dice& dice, std::vector<plain::Change>& changes) {
  for (std::size_t i = changes.size(); i > 0; --i) {
    plain::Change change = changes[i - 1];
    if (change.what != plain::Change::leave || dice.chance(0.4)) continue;
    change.what = plain::Change::join;
    change.time += dice.chance(0.2) ? 0 : dice.between(0, change.time);
    changes.push_back(change);
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
}

TEST(AdaptiveOracle, EveryWayOfStagingIn) {
  for (std::uint64_t seed = 80'001; seed <= 82'000; ++seed) {
    RandomPool random(seed, {.tiny_times = seed % 2 == 0, .leaves = 0.4});
    const Problem problem = random.problem();
    auto [pool, changes] = course_of(problem.platform());
    add_returns(random.dice(), changes);
    std::vector<Event> events;
    for (const plain::Change& change : changes) {
      events.push_back({.time = change.time,
                        .kind = static_cast<Event::Kind>(change.what),
                        .resource = static_cast<planning::ResourceId>(change.resource)});
    }
    const planning::CostGraph graph(problem);
    const plain::Dag dag(problem);
    for (int stage = 0; stage < 5; ++stage) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " stage-in " + std::to_string(stage));
      const auto ours = planning::run_min_min(graph, random.now(), {pool.begin(), pool.end()},
                                              events, static_cast<StageIn>(stage));
      const plain::Spots expected =
          plain::MinMin(dag, random.now(), pool, static_cast<plain::Stage>(stage)).run(changes);
      const bool complete =
          std::find(expected.begin(), expected.end(), std::nullopt) == expected.end();
      ASSERT_EQ(ours.has_value(), complete);
      if (!complete) continue;
      expect_same_spots(spots_of(*ours), expected);
      ASSERT_EQ(ours->end, plain::last_end(expected));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(AdaptiveOracle, MinMinGoesOnWhenTheOnlyResourceComesBack) {
  for (std::uint64_t seed = 85'001; seed <= 85'200; ++seed) {
    RandomPool random(seed, {.max_tasks = 10, .max_resources = 1});
    const Problem problem = random.problem();
    const planning::CostGraph graph(problem);
    const Time told = random.now() + random.dice().between(1, 60'000);
    const Time gone = told + random.dice().between(1, 60'000);
    const Time back = gone + random.dice().between(0, 60'000);
    const std::vector<Event> events = {
        {.time = told, .kind = Event::Kind::leave_later, .until = gone},
        {.time = back, .kind = Event::Kind::join}};
    const auto ours = planning::run_min_min(graph, random.now(), {0}, events, StageIn::parallel);
    ASSERT_TRUE(ours.has_value()) << "seed " << seed;
    for (const planning::Assignment& task : ours->tasks) {
      ASSERT_TRUE(task.end <= gone || task.start >= back) << "seed " << seed;
    }
  }
}

// What must hold for all plans.

TEST(AdaptiveInvariants, PlansThatSeeTheEventsAreValid) {
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    RandomPool random(seed, {.tiny_times = seed % 3 == 0, .missing_times = seed % 5 == 0});
    const Problem problem = random.problem();
    for (const char* name : {"AHEFT", "AHEFT_PAPER", "MINMIN"}) {
      const Plan ours = plan(*find_planner(name), problem);
      if (!ours.feasible) continue;
      ASSERT_EQ(check(problem, ours), std::vector<std::string>{}) << name << " seed " << seed;
    }
  }
}

TEST(AdaptiveInvariants, WithJoinsOnlyAheftNeverEndsLaterThanHeft) {
  std::size_t earlier = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const Problem problem = RandomPool(seed, {.joins = 0.5, .leaves = 0}).problem();
    const Plan heft = plan(*find_planner("HEFT"), problem);
    for (const char* name : {"AHEFT", "AHEFT_PAPER"}) {
      const Plan ours = plan(*find_planner(name), problem);
      ASSERT_TRUE(ours.feasible) << name << " seed " << seed;
      ASSERT_LE(makespan(ours) + ours.now, ours.history[0].candidate.value_or(kForever))
          << name << " seed " << seed;
      if (!heft.feasible) continue;
      ASSERT_LE(makespan(ours), makespan(heft)) << name << " seed " << seed;
      earlier += makespan(ours) < makespan(heft) ? 1 : 0;
    }
  }
  EXPECT_GT(earlier, 100U);
}

TEST(AdaptiveInvariants, TheSameInputGivesTheSamePlan) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Problem problem = RandomPool(seed).problem();
    const Problem again = RandomPool(seed).problem();
    for (const char* name : {"HEFT", "AHEFT", "AHEFT_PAPER", "MINMIN"}) {
      ASSERT_EQ(plan(*find_planner(name), problem), plan(*find_planner(name), again))
          << name << " seed " << seed;
    }
  }
}

}  // namespace
}  // namespace dovetail
