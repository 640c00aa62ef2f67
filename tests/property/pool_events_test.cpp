// Workflows on unlike resources where tasks are late or lost and resources leave and slow down:
// what is executed, judged from the events alone.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "dovetail/metrics.hpp"
#include "planners/simulate.hpp"
#include "support/random_pool.hpp"

namespace dovetail {
namespace {

using testing::Dice;
using testing::RandomPool;
using Kind = Event::Kind;
using Events = std::vector<Event>;

constexpr Duration kRounding = 2;

// When a resource is there, by the platform and the events: it comes once and goes for good.
Interval presence(const Problem& problem, const Events& events, std::uint32_t resource) {
  const Cluster& cluster = problem.platform().clusters()[resource];
  Interval there{std::max(problem.now(), cluster.joins), cluster.leaves};
  for (const Event& event : events) {
    const bool goes = event.kind == Kind::leave || event.kind == Kind::leave_later;
    if (!goes || event.resource != resource || event.time >= there.end) continue;
    // At the moment of joining the event comes first, and concerns nobody.
    if (event.time <= cluster.joins) continue;
    there.end = std::min(there.end, event.kind == Kind::leave ? event.time : event.until);
  }
  return there;
}

// When a run ends that nobody cuts short.
Time end_of(const Problem& problem, const Events& events, const Placement& run) {
  const TaskTime time = problem.time(run.workflow, run.task, run.cluster);
  double lateness = 1;
  double slowness = 1;
  const auto rounded = [](double length) {
    return std::max<Duration>(1, static_cast<Duration>(std::ceil(length - 1e-6)));
  };
  Time end = kBeginning;
  for (const Event& event : events) {
    const bool starts = end == kBeginning && event.time > run.start;
    const double length = static_cast<double>(time.duration(1)) * lateness * slowness;
    if (starts) end = run.start + rounded(length);
    if (end > kBeginning && event.time >= end) return end;
    double change = 1;
    if (event.kind == Kind::slow && event.resource == run.cluster) {
      change = event.factor / slowness;
      slowness = event.factor;
    }
    if (event.kind == Kind::late && event.task == run.task) {
      change = event.factor;
      lateness *= event.factor;
    }
    if (end > kBeginning && change != 1) {
      end = event.time + rounded(static_cast<double>(end - event.time) * change);
    }
  }
  if (end > kBeginning) return end;
  return run.start + rounded(static_cast<double>(time.duration(1)) * lateness * slowness);
}

Events random_events(Dice& dice, const Problem& problem, Time until) {
  const auto resources = static_cast<std::int64_t>(problem.platform().clusters().size());
  const auto tasks = static_cast<std::int64_t>(problem.task_count());
  std::vector<bool> goes(static_cast<std::size_t>(resources), false);
  Events events;
  for (std::int64_t left = dice.between(1, 8); left > 0; --left) {
    Event event{.time = dice.between(problem.now(), until),
                .resource = static_cast<std::uint32_t>(dice.between(0, resources - 1)),
                .task = static_cast<TaskId>(dice.between(0, tasks - 1))};
    if (!events.empty() && dice.chance(0.3)) event.time = events.back().time;
    event.factor = dice.chance(0.5) ? dice.real(0.3, 4) : 2;
    const std::int64_t kind = dice.between(0, 9);
    event.kind = kind < 4   ? Kind::late
                 : kind < 7 ? Kind::lost
                 : kind < 9 ? Kind::slow
                            : Kind::leave;
    if (event.kind == Kind::leave) {
      if (goes[event.resource]) continue;
      goes[event.resource] = true;
      if (dice.chance(0.7)) event.kind = Kind::leave_later;
      event.until = event.time + dice.between(1, until - problem.now() + 1);
    }
    events.push_back(event);
  }
  std::ranges::stable_sort(events, {}, &Event::time);
  return events;
}

void expect_inputs_in_time(const Problem& problem, const Plan& plan, const Placement& task) {
  const Workflow& workflow = problem.workflows()[task.workflow];
  const auto before = workflow.predecessors(task.task);
  const auto transfers = workflow.transfers_in(task.task);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Placement& input = plan.placements[before[i]];
    const Duration transfer = input.cluster == task.cluster || transfers.empty() ? 0 : transfers[i];
    EXPECT_GE(task.start, input.end + transfer) << "task " << task.task;
  }
}

// On its resource while that is there, and beside nothing else.
void expect_alone(const Problem& problem, const Events& events, const std::vector<Placement>& runs,
                  std::size_t i) {
  const Placement& run = runs[i];
  const Interval there = presence(problem, events, run.cluster);
  EXPECT_GE(run.start, there.begin) << "task " << run.task;
  EXPECT_LE(run.end, there.end) << "task " << run.task;
  EXPECT_LT(run.start, run.end) << "task " << run.task;
  for (std::size_t j = 0; j < i; ++j) {
    const Placement& other = runs[j];
    const bool apart =
        other.cluster != run.cluster || other.end <= run.start || run.end <= other.start;
    EXPECT_TRUE(apart) << "tasks " << run.task << " and " << other.task;
  }
}

void expect_cut_by_an_event(const Problem& problem, const Events& events, const Placement& run) {
  EXPECT_GT(end_of(problem, events, run) + kRounding, run.end);
  const bool happens = std::ranges::any_of(events, [&](const Event& event) {
    if (event.time != run.end) return false;
    return event.kind == Kind::lost || event.kind == Kind::late ? event.task == run.task
                                                                : event.resource == run.cluster;
  });
  const Cluster& cluster = problem.platform().clusters()[run.cluster];
  EXPECT_TRUE(happens || cluster.leaves == run.end) << "task " << run.task;
}

void judge(const Problem& problem, const Events& events, const Simulation& result) {
  for (const Placement& run : result.lost) expect_cut_by_an_event(problem, events, run);
  if (!result.after.feasible) return;
  ASSERT_EQ(result.after.placements.size(), problem.task_count());
  std::vector<Placement> runs = result.after.placements;
  for (const Placement& run : runs) {
    expect_inputs_in_time(problem, result.after, run);
    EXPECT_LE(std::abs(end_of(problem, events, run) - run.end), kRounding) << "task " << run.task;
  }
  runs.insert(runs.end(), result.lost.begin(), result.lost.end());
  for (std::size_t i = 0; i < runs.size(); ++i) expect_alone(problem, events, runs, i);
}

void judge_cases(const char* planner, std::uint64_t first, std::uint64_t last) {
  std::size_t finished = 0;
  std::size_t lost = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomPool random(seed,
                      {.max_tasks = 12, .tiny_times = seed % 4 == 0, .joins = 0.1, .leaves = 0.1});
    const Problem problem = random.problem();
    SimulateOptions options{.planner = find_planner(planner)};
    options.band = seed % 2 == 0 ? 0 : 0.2;
    if (!simulate_unfit(problem, options).empty()) continue;
    const Plan quiet = simulate(problem, {}, options).after;
    const Time end = quiet.now + (quiet.feasible ? makespan(quiet) : 1000);
    const Events events = random_events(random.dice(), problem, end);
    const Simulation result = simulate(problem, events, options);
    judge(problem, events, result);
    if (::testing::Test::HasFailure()) return;
    finished += result.after.feasible ? 1 : 0;
    lost += result.lost.size();
  }
  EXPECT_GT(finished, (last - first) / 2);
  EXPECT_GT(lost, (last - first) / 5);
}

TEST(PoolEvents, WhatAheftExecutesIsPossible) { judge_cases("AHEFT", 1, 2000); }
TEST(PoolEvents, WhatAheftOfThePaperExecutesIsPossible) { judge_cases("AHEFT_PAPER", 3001, 4000); }
TEST(PoolEvents, WhatHeftExecutesIsPossible) { judge_cases("HEFT", 5001, 7000); }
TEST(PoolEvents, WhatMinMinExecutesIsPossible) { judge_cases("MINMIN", 8001, 10'000); }

}  // namespace
}  // namespace dovetail
