// Workflows on heterogeneous resources that join, leave, come back and slow down, with tasks that
// are late or lost: what is executed, judged from the events and the plans that were in force
// alone.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "dovetail/metrics.hpp"
#include "planners/pool/pool.hpp"
#include "planners/replan/simulate.hpp"
#include "support/random_pool.hpp"

namespace dovetail {
namespace {

using testing::RandomPool;
using testing::RandomPoolOptions;
using namespace std::string_literals;
using Kind = Event::Kind;
using Events = std::vector<Event>;

constexpr Duration kRounding = 2;

// Who is there at the start and all that happens, in order.
struct Story {
  Time now = 0;
  std::vector<planning::ResourceId> pool = {};
  Events events = {};

  Story until(Time time) const {
    Story story{now, pool, {}};
    std::ranges::copy_if(events, std::back_inserter(story.events),
                         [&](const Event& event) { return event.time <= time; });
    return story;
  }
};

bool comes_or_goes(const Event& event, planning::ResourceId resource) {
  const bool is_kind =
      event.kind == Kind::join || event.kind == Kind::leave || event.kind == Kind::leave_later;
  return is_kind && event.resource == resource;
}

// The platform's joins and leaves besides, of one instant after the other events.
Story story_of(const Problem& problem, const Events& events) {
  Story story{problem.now(), {}, events};
  for (planning::ResourceId r = 0; r < problem.platform().clusters().size(); ++r) {
    const Cluster& cluster = problem.platform().clusters()[r];
    if (cluster.leaves <= problem.now()) continue;
    const auto first =
        std::ranges::find_if(events, [&](const Event& event) { return comes_or_goes(event, r); });
    const bool is_awaited = first != events.end() && first->kind == Kind::join;
    if (cluster.joins > problem.now()) {
      story.events.push_back({.time = cluster.joins, .kind = Kind::join, .resource = r});
    } else if (!is_awaited) {
      story.pool.push_back(r);
    }
    if (cluster.leaves < kForever) {
      story.events.push_back({.time = cluster.leaves, .kind = Kind::leave, .resource = r});
    }
  }
  std::ranges::stable_sort(story.events, {}, &Event::time);
  return story;
}

// When a resource is there; one that goes and comes at one instant has been away.
std::vector<Interval> stays(const Story& story, planning::ResourceId resource) {
  std::vector<Interval> stays;
  if (std::ranges::count(story.pool, resource) > 0) stays.push_back({story.now, kForever});
  for (const Event& event : story.events) {
    if (!comes_or_goes(event, resource)) continue;
    const bool is_there = !stays.empty() && stays.back().end > event.time;
    if (event.kind == Kind::join && !is_there) stays.push_back({event.time, kForever});
    if (event.kind == Kind::join) stays.back().end = kForever;
    if (event.kind == Kind::leave && is_there) stays.back().end = event.time;
    if (event.kind == Kind::leave_later && is_there) stays.back().end = event.until;
  }
  return stays;
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

// By version, when it was in force: until there was another, or what happened made it impossible.
std::vector<Interval> in_force(const Plan& plan) {
  std::vector<Interval> spans;
  for (const Evaluation& decision : plan.history) {
    const bool ends = decision.adopted || !decision.current;
    if (ends && !spans.empty()) spans.back().end = std::min(spans.back().end, decision.time);
    if (decision.adopted) spans.push_back({decision.time, kForever});
  }
  return spans;
}

// Whether a file that leaves then is under way when its resource is gone. What is sent by a plan
// made at that very moment is not.
bool is_lost(Time leaves, Time arrives, Time planned, const std::vector<Interval>& stays) {
  return std::ranges::any_of(stays, [&](const Interval& stay) {
    const bool has_left = leaves < stay.end || (leaves == stay.end && planned < leaves);
    return has_left && arrives > stay.end;
  });
}

// When the output of a task is where another one runs: it leaves when it is made, but not before a
// plan in force wants it there.
Time arrival(const Plan& plan, const Placement& from, const Placement& to, Duration transfer,
             const std::vector<Interval>& stays) {
  const std::vector<Interval> spans = in_force(plan);
  Time first = kForever;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (plan.versions[i].clusters[to.task] != to.cluster) continue;
    const Time leaves = std::max(from.end, spans[i].begin);
    if (leaves > spans[i].end) continue;
    if (is_lost(leaves, leaves + transfer, spans[i].begin, stays)) continue;
    first = std::min(first, leaves + transfer);
  }
  return first;
}

// Files of plans leave as these say. Without any, tasks are given to resources that are there when
// all of their inputs are made, and only then do files leave.
void expect_inputs_in_time(const Problem& problem, const Story& story, const Plan& plan,
                           const Placement& task) {
  const Workflow& workflow = problem.workflows()[task.workflow];
  const auto before = workflow.predecessors(task.task);
  const auto transfers = workflow.transfers_in(task.task);
  const std::vector<Interval> there = stays(story, task.cluster);
  Time given = story.now;
  for (const Interval& stay : there) {
    if (stay.begin <= task.start) given = std::max(given, stay.begin);
  }
  for (const TaskId input : before) given = std::max(given, plan.placements[input].end);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Placement& input = plan.placements[before[i]];
    const Duration transfer = transfers.empty() ? 0 : transfers[i];
    Time arrives =
        plan.versions.empty() ? given + transfer : arrival(plan, input, task, transfer, there);
    if (input.cluster == task.cluster) arrives = input.end;
    EXPECT_GE(task.start, arrives) << "task " << task.task << " needs " << input.task;
  }
}

// On its resource while that is there, and beside nothing else.
void expect_alone(const Story& story, const std::vector<Placement>& runs, std::size_t i) {
  const Placement& run = runs[i];
  EXPECT_LT(run.start, run.end) << "task " << run.task;
  EXPECT_TRUE(std::ranges::any_of(
      stays(story, run.cluster),
      [&](const Interval& stay) { return stay.begin <= run.start && run.end <= stay.end; }))
      << "task " << run.task;
  for (std::size_t j = 0; j < i; ++j) {
    const Placement& other = runs[j];
    const bool apart =
        other.cluster != run.cluster || other.end <= run.start || run.end <= other.start;
    EXPECT_TRUE(apart) << "tasks " << run.task << " and " << other.task;
  }
}

void expect_cut_by_an_event(const Problem& problem, const Events& events, const Placement& run) {
  EXPECT_GT(end_of(problem, events, run) + kRounding, run.end);
  EXPECT_TRUE(std::ranges::any_of(events,
                                  [&](const Event& event) {
                                    if (event.time != run.end) return false;
                                    return event.kind == Kind::lost || event.kind == Kind::late
                                               ? event.task == run.task
                                               : event.resource == run.cluster;
                                  }))
      << "task " << run.task;
}

void judge(const Problem& problem, const Story& story, const Plan& plan,
           const std::vector<Placement>& lost) {
  for (const Placement& run : lost) expect_cut_by_an_event(problem, story.events, run);
  if (!plan.feasible) return;
  ASSERT_EQ(plan.placements.size(), problem.task_count());
  ASSERT_TRUE(plan.versions.empty() || plan.versions.size() == in_force(plan).size());
  std::vector<Placement> runs = plan.placements;
  for (const Placement& run : runs) {
    expect_inputs_in_time(problem, story, plan, run);
    EXPECT_LE(std::abs(end_of(problem, story.events, run) - run.end), kRounding)
        << "task " << run.task;
  }
  runs.insert(runs.end(), lost.begin(), lost.end());
  for (std::size_t i = 0; i < runs.size(); ++i) expect_alone(story, runs, i);
}

RandomPoolOptions small_pools(std::uint64_t seed) {
  return {.max_tasks = 12,
          .max_resources = 5,
          .tiny_times = seed % 4 == 0,
          .joins = 0.2,
          .leaves = 0.4,
          .returns = 0.7,
          .task_events = 4};
}

void judge_cases(const char* planner, std::uint64_t first, std::uint64_t last) {
  std::size_t finished = 0;
  std::size_t lost = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomPool random(seed, small_pools(seed));
    const Problem problem = random.problem();
    planning::SimulateOptions options{.planner = find_planner(planner)};
    options.band = seed % 2 == 0 ? 0 : 0.2;
    if (!planning::simulate_unfit(problem, options).empty()) continue;
    std::vector<planning::ResourceId> pool;
    const Events events = random.events(pool);
    const planning::Simulation result = planning::simulate(problem, events, options);
    ASSERT_NE(result.after.versions.empty(), result.after.feasible && planner != "MINMIN"s);
    judge(problem, story_of(problem, events), result.after, result.lost);
    if (::testing::Test::HasFailure()) return;
    finished += result.after.feasible ? 1 : 0;
    lost += result.lost.size();
  }
  EXPECT_GT(finished, (last - first) / 2);
  EXPECT_GT(lost, (last - first) / 5);
}

TEST(PoolEvents, WhatAheftExecutesIsPossible) { judge_cases("AHEFT", 1, 10'000); }
TEST(PoolEvents, WhatAheftOfThePaperExecutesIsPossible) {
  judge_cases("AHEFT_PAPER", 20'001, 25'000);
}
TEST(PoolEvents, WhatHeftExecutesIsPossible) { judge_cases("HEFT", 30'001, 40'000); }
TEST(PoolEvents, WhatMinMinExecutesIsPossible) { judge_cases("MINMIN", 50'001, 60'000); }

// What is decided when something happens.

Plan plan_of(const planning::AheftWorld& world, const Story& story,
             const std::vector<Evaluation>& history) {
  Plan plan{.now = story.now, .feasible = true};
  const auto& tasks = world.schedule().tasks;
  for (TaskId task = 0; task < tasks.size(); ++task) {
    const planning::Assignment& place = tasks[task];
    plan.placements.push_back({0, task, place.resource, 1, place.start, place.end});
  }
  plan.versions.assign(world.versions().begin(), world.versions().end());
  plan.history = history;
  return plan;
}

std::vector<Placement> lost_of(const planning::AheftWorld& world) {
  std::vector<Placement> lost;
  for (const auto& [task, place] : world.lost()) {
    lost.push_back({0, task, place.resource, 1, place.start, place.end});
  }
  return lost;
}

// Goes on, in peace, until a plan has been done that was to end at a given time.
void expect_goes_on_to(Time end, planning::AheftWorld world, const Problem& problem,
                       const Story& story, const std::vector<Evaluation>& history) {
  judge(problem, story, plan_of(world, story, history), lost_of(world));
  std::vector<Time> moments{end - 1, end};
  for (const planning::Assignment& place : world.schedule().tasks) {
    moments.push_back(place.start + 1);
  }
  std::ranges::sort(moments);
  const std::vector<planning::Assignment> planned = world.schedule().tasks;
  for (const Time time : moments) {
    if (time > history.back().time) world.advance(time);
    ASSERT_EQ(world.current_end(), end);
  }
  // Nothing is left to be planned, and nothing has moved.
  ASSERT_EQ(world.propose(), end);
  world.adopt();
  ASSERT_EQ(world.schedule().tasks, planned);
  ASSERT_EQ(std::ranges::max(planned, {}, &planning::Assignment::end).end, end);
}

// One that listens, with a copy of it that keeps its plan at every decision.
class Witness {
 public:
  Witness(const Problem& problem, const Story& story, const planning::AheftOptions& options)
      : problem_(problem),
        story_(story),
        graph_(problem),
        world_(graph_, story.now, story.pool, options),
        started_(graph_.size()) {}

  void run() {
    planning::KnownEvents feed(story_.events);
    history_.push_back(planning::evaluate(world_, story_.now, ""));
    while (const auto batch = feed.next(world_.current_end().value_or(kForever))) {
      note_started(batch->time);
      const std::size_t lost = world_.lost().size();
      world_.advance(batch->time);
      world_.apply(batch->events);
      decide(batch->time);
      if (::testing::Test::HasFailure()) return;
      expect_started_stay(*batch, world_.lost().subspan(lost));
      if (::testing::Test::HasFailure()) return;
    }
  }

  std::size_t rivals() const { return rivals_; }  // plans adopted while the old one was possible
  std::size_t decisions() const { return history_.size(); }

 private:
  void decide(Time time) {
    planning::AheftWorld keeps = world_;
    history_.push_back(planning::evaluate(world_, time, ""));
    const Evaluation& decision = history_.back();
    const Story past = story_.until(time);
    if (world_.current_end()) {
      const auto end = decision.adopted ? decision.candidate : decision.current;
      expect_goes_on_to(*end, world_, problem_, past, history_);
    }
    if (!decision.adopted || !decision.current) return;
    ++rivals_;
    ASSERT_LT(*decision.candidate, *decision.current);
    keeps.propose();
    std::vector<Evaluation> refused = history_;
    refused.back().adopted = false;
    expect_goes_on_to(*decision.current, keeps, problem_, past, refused);
  }

  // By the plan in force.
  void note_started(Time now) {
    if (!world_.current_end()) return;
    for (TaskId task = 0; task < graph_.size(); ++task) {
      const planning::Assignment& place = world_.schedule().tasks[task];
      if (place.start < now) started_[task] = place;
    }
  }

  // Where and when they started. They end as planned unless something happened to them.
  void expect_started_stay(const planning::EventFeed::Batch& batch,
                           std::span<const planning::LostRun> lost) {
    for (TaskId task = 0; task < graph_.size(); ++task) {
      const bool is_again = std::ranges::count(lost, task, &planning::LostRun::task) > 0;
      auto& before = started_[task];
      ASSERT_EQ(is_again, before && has_to_run_again(batch, task, *before)) << "task " << task;
      if (is_again) before.reset();
      if (!before && !world_.current_end()) continue;
      const planning::Assignment& place = world_.schedule().tasks[task];
      if (!before) {
        ASSERT_GE(place.start, batch.time) << "task " << task;
        continue;
      }
      ASSERT_EQ(place.resource, before->resource) << "task " << task;
      ASSERT_EQ(place.start, before->start) << "task " << task;
      if (!is_stretched(batch, task, *before)) {
        ASSERT_EQ(place.end, before->end) << "task " << task;
      }
      before = place;
    }
  }

  static bool is_stretched(const planning::EventFeed::Batch& batch, TaskId task,
                           const planning::Assignment& place) {
    return place.end > batch.time && std::ranges::any_of(batch.events, [&](const Event& event) {
             return (event.kind == Kind::slow && event.resource == place.resource) ||
                    (event.kind == Kind::late && event.task == task);
           });
  }

  // Its resource is gone, or will be before it ends, or it was lost.
  bool has_to_run_again(const planning::EventFeed::Batch& batch, TaskId task,
                        const planning::Assignment& place) const {
    if (place.end <= batch.time) return false;
    const bool is_cut = std::ranges::any_of(batch.events, [&](const Event& event) {
      return (event.kind == Kind::leave && event.resource == place.resource) ||
             (event.kind == Kind::lost && event.task == task);
    });
    const Story past = story_.until(batch.time);
    const Placement run{0, task, place.resource, 1, place.start, place.end};
    const Time end =
        is_stretched(batch, task, place) ? end_of(problem_, past.events, run) : place.end;
    return is_cut || end > stays(past, place.resource).back().end;
  }

  const Problem& problem_;
  const Story& story_;
  planning::CostGraph graph_;
  planning::AheftWorld world_;
  std::vector<Evaluation> history_;
  std::vector<std::optional<planning::Assignment>> started_;  // by task
  std::size_t rivals_ = 0;
};

void witness_cases(std::uint64_t first, std::uint64_t last, const planning::AheftOptions& options) {
  std::size_t rivals = 0;
  std::size_t decisions = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomPool random(seed, small_pools(seed));
    const Problem problem = random.problem();
    Story story{.now = random.now()};
    story.events = random.events(story.pool);
    Witness witness(problem, story, options);
    witness.run();
    if (::testing::Test::HasFailure()) return;
    rivals += witness.rivals();
    decisions += witness.decisions();
  }
  EXPECT_GT(decisions, (last - first) * 3);
  EXPECT_GT(rivals, (last - first) / 10);
}

TEST(PoolDecisions, AheftAdoptsWhatEndsEarlierAndMovesNothingThatHasStarted) {
  witness_cases(70'001, 80'000, planning::aheft_rule().options);
}

TEST(PoolDecisions, AheftOfThePaperAdoptsWhatEndsEarlierAndMovesNothingThatHasStarted) {
  witness_cases(90'001, 95'000, planning::aheft_paper_rule().options);
}

}  // namespace
}  // namespace dovetail
