// Moldable workflows on a cluster where things happen at random, followed step by step by a judge
// that knows what the events mean and nothing of how the library goes about them.
#include "planners/replan/cluster_world.hpp"

#include <gtest/gtest.h>

#include <string>

#include "dovetail/answer.hpp"
#include "oracles/cluster_judge.hpp"
#include "planners/replan/simulate.hpp"
#include "planners/replan/warm_search.hpp"
#include "support/random_events.hpp"

namespace dovetail {
namespace {

using testing::Dice;
using testing::Judge;
using testing::RandomEvents;

// A world whose every step is judged.
class WatchedWorld final : public planning::World {
 public:
  WatchedWorld(const Problem& problem, planning::PlanMaker make_plan,
               const planning::ClusterWorldOptions& options)
      : judge_(problem, options.band),
        stability_(options.stability),
        world_(
            problem,
            [this, make_plan = std::move(make_plan)](const Problem& rest) {
              last_made_ = make_plan(rest);
              return *last_made_;
            },
            options) {}

  const planning::ClusterWorld& world() const { return world_; }
  const Judge& judge() const { return judge_; }
  std::size_t adopted() const { return adopted_; }
  std::size_t kept() const { return kept_; }

  void advance(Time now) override {
    judge_.advance(now);
    world_.advance(now);
  }

  bool apply(const std::vector<Event>& events) override {
    const std::vector<Placement> before = judge_.in_force();
    const bool should_matter = judge_.apply(events);
    const bool matters = world_.apply(events);
    const auto lost = world_.lost();
    EXPECT_EQ(std::vector<Placement>(lost.begin(), lost.end()), judge_.lost());
    judge_.take(world_.executed());
    judge_.expect_later_than(before);
    EXPECT_EQ(matters, should_matter || judge_.ends_much_later_than(before));
    return matters;
  }

  std::optional<Time> current_end() const override {
    const auto end = world_.current_end();
    EXPECT_EQ(end.has_value(), !judge_.in_force().empty());
    if (end && !judge_.in_force().empty()) {
      EXPECT_EQ(*end, testing::end_of(judge_.in_force()));
    }
    return end;
  }

  std::optional<Time> propose() override {
    judge_.plans_again();
    last_made_.reset();
    return world_.propose();
  }

  std::optional<std::size_t> moved_by_proposal() const override {
    return world_.moved_by_proposal();
  }

  bool prefers_proposal() const override {
    const bool prefers = world_.prefers_proposal();
    if (!prefers && stability_ == 0 && last_made_ && last_made_->feasible) {
      EXPECT_FALSE(judge_.is_better(judge_.with_rest(*last_made_), judge_.in_force()));
    }
    kept_ += prefers ? 0 : 1;
    return prefers;
  }

  void adopt() override {
    const std::vector<Placement> old = judge_.in_force();
    world_.adopt();
    judge_.take(world_.executed());
    EXPECT_FALSE(judge_.in_force().empty());
    if (old.empty()) return;
    EXPECT_TRUE(judge_.is_better(judge_.in_force(), old));
    ++adopted_;
  }

  void give_up() override {
    EXPECT_FALSE(judge_.must_be_possible());
    world_.give_up();
    judge_.take(world_.executed());
  }

 private:
  Judge judge_;
  double stability_;
  std::optional<Plan> last_made_;
  planning::ClusterWorld world_;
  std::size_t adopted_ = 0;
  mutable std::size_t kept_ = 0;
};

// Events that know the plan in force, written down as they happen.
class SpitefulFeed final : public planning::EventFeed {
 public:
  SpitefulFeed(RandomEvents random, const WatchedWorld& world)
      : random_(std::move(random)), world_(world) {}

  std::optional<Batch> next(Time until) override {
    if (::testing::Test::HasFailure()) return std::nullopt;
    std::vector<Event> events = random_.next(world_.world().executed(), until);
    if (events.empty()) return std::nullopt;
    told_.insert(told_.end(), events.begin(), events.end());
    return Batch{events.front().time, {}, std::move(events)};
  }

  const std::vector<Event>& told() const { return told_; }

 private:
  RandomEvents random_;
  const WatchedWorld& world_;
  std::vector<Event> told_;
};

// From the events alone: what others hold, and what has failed, when something starts.
std::int64_t taken_by_others(const Problem& problem, const std::vector<Event>& events, Time time) {
  std::vector<Reservation> held = problem.platform().clusters().front().reservations;
  for (const Event& event : events) {
    if (event.time > time) break;
    const Reservation booking{event.start, event.until, event.procs};
    if (event.kind == Event::Kind::reserve) held.push_back(booking);
    if (event.kind == Event::Kind::fail) held.push_back({event.time, event.until, event.procs});
    if (event.kind == Event::Kind::cancel) std::ranges::find(held, booking)->end = event.time;
  }
  std::int64_t taken = 0;
  for (const Reservation& one : held) {
    if (one.start <= time && time < one.end) taken += one.procs;
  }
  return taken;
}

// What was executed, cut runs among it: room for all at every start, and for others, at any moment,
// what it left over.
void expect_room_for_all(const Problem& problem, const std::vector<Event>& events,
                         const planning::Simulation& result) {
  std::vector<Placement> runs = result.after.placements;
  runs.insert(runs.end(), result.lost.begin(), result.lost.end());
  const Cluster& cluster = result.platform.clusters().front();
  const auto ours = [&](Time time) {
    std::int64_t procs = 0;
    for (const Placement& run : runs) {
      if (run.start <= time && time < run.end) procs += run.procs;
    }
    return procs;
  };
  for (const Placement& run : runs) {
    EXPECT_LE(ours(run.start) + taken_by_others(problem, events, run.start), cluster.processors);
  }
  std::vector<Time> moments;
  for (const Placement& run : runs) moments.insert(moments.end(), {run.start, run.end});
  for (const Event& event : events) moments.insert(moments.end(), {event.start, event.until});
  for (const Time moment : moments) {
    if (moment < std::max(problem.now(), cluster.joins) || moment >= cluster.leaves) continue;
    std::int64_t held = 0;
    for (const Reservation& one : cluster.reservations) {
      if (one.start <= moment && moment < one.end) held += one.procs;
    }
    EXPECT_EQ(held,
              std::min(taken_by_others(problem, events, moment), cluster.processors - ours(moment)))
        << "at " << moment;
  }
}

struct CaseOptions {
  bool by_name = true;      // planned by a planner of the table, not by a search
  bool tiny_times = false;  // times of a few milliseconds, where ties abound
};

struct Case {
  Problem problem;
  const PlannerInfo* planner;  // null: a search from the best known plan
  double band;
  double stability;
};

// A case of its own for each seed.
class CaseMaker {
 public:
  CaseMaker(std::uint64_t seed, const CaseOptions& options)
      : dice_(seed),
        options_(options),
        random_{.tiny_times = options.tiny_times},
        span_(options.tiny_times ? 300 : 400'000) {}

  Case make() {
    const Platform cluster = platform();
    const bool by_deadline = dice_.chance(0.4);
    const Time deadline = cluster.now() + dice_.between(1, span_);
    Problem problem(workflows(cluster), cluster, by_deadline ? Goal::deadline : Goal::turnaround,
                    by_deadline ? std::optional(deadline) : std::nullopt);
    const double band = dice_.chance(0.5) ? 0 : 0.2;
    const PlannerInfo* named = options_.by_name ? planner(by_deadline) : nullptr;
    const double stability = dice_.chance(0.5) ? 0 : planning::kStability;
    return {std::move(problem), named, band, stability};
  }

 private:
  // Sometimes the cluster is not there yet, sometimes it leaves.
  Platform platform() {
    const Platform platform = testing::random_platform(dice_, random_);
    Cluster cluster = platform.clusters().front();
    if (dice_.chance(0.05)) cluster.joins = platform.now() + dice_.between(0, span_ / 4);
    if (dice_.chance(0.1)) cluster.leaves = platform.now() + dice_.between(span_ / 4, span_ * 2);
    std::erase_if(cluster.reservations, [&](const Reservation& one) {
      return one.start < cluster.joins || one.end > cluster.leaves;
    });
    return Platform(platform.now(), {cluster});
  }

  std::vector<Workflow> workflows(const Platform& platform) {
    std::vector<Workflow> workflows;
    const std::int64_t count = dice_.chance(0.25) ? dice_.between(2, 3) : 1;
    random_.max_tasks = count == 1 ? 12 : 5;
    for (std::int64_t i = 0; i < count; ++i) {
      workflows.push_back(testing::random_workflow(
          dice_, random_, platform.clusters().front().processors, "w" + std::to_string(i)));
    }
    return workflows;
  }

  const PlannerInfo* planner(bool by_deadline) {
    if (!by_deadline || dice_.chance(0.3)) return find_planner("BL_CPAR_BD_CPAR");
    return find_planner(dice_.chance(0.5) ? "DL_BD_CPAR" : "DL_RC_CPAR");
  }

  Dice dice_;
  CaseOptions options_;
  testing::RandomProblemOptions random_;
  Duration span_;
};

// As simulate does it.
Plan plan_of(const PlannerInfo* planner, const Problem& problem) {
  PlanningContext context(problem);
  return find_answer(context, {.algorithm = planner, .haste = Haste::replanning}).best_effort();
}

// How much has been judged.
struct Tally {
  std::size_t events = 0;
  std::size_t adopted = 0;
  std::size_t kept = 0;
  std::size_t lost = 0;
  std::size_t finished = 0;
  std::size_t unfinished = 0;
};

// The recorded events told to simulate() give the same again.
void expect_same(const Case& one, const std::vector<Event>& events,
                 const planning::ClusterWorld& world, std::vector<Evaluation> history) {
  const planning::Simulation again = planning::simulate(
      one.problem, events, {.planner = one.planner, .band = one.band, .stability = one.stability});
  EXPECT_EQ(again.after.feasible, world.executed().feasible);
  EXPECT_EQ(again.after.placements, world.executed().placements);
  EXPECT_TRUE(std::ranges::equal(again.lost, world.lost()));
  ASSERT_EQ(again.after.history.size(), history.size());
  for (std::size_t i = 0; i < history.size(); ++i) {
    history[i].event = again.after.history[i].event;
    EXPECT_EQ(again.after.history[i], history[i]) << "evaluation " << i;
  }
  if (again.after.feasible) expect_room_for_all(one.problem, events, again);
}

Tally run_cases(std::uint64_t first, std::uint64_t last, const CaseOptions& options) {
  Tally tally;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case one = CaseMaker(seed, options).make();
    WatchedWorld world(one.problem, [&](const Problem& rest) { return plan_of(one.planner, rest); },
                       {.band = one.band,
                        .stability = one.stability,
                        .searches = one.planner == nullptr,
                        .tells_declined = true});
    const Duration longest = options.tiny_times ? 60 : 80'000;
    SpitefulFeed feed(RandomEvents(seed, one.problem, longest), world);
    const auto history = planning::follow(world, feed, one.problem.now());
    if (!::testing::Test::HasFailure()) expect_same(one, feed.told(), world.world(), history);
    if (::testing::Test::HasFailure()) return tally;
    tally.events += feed.told().size();
    tally.adopted += world.adopted();
    tally.kept += world.kept();
    tally.lost += world.judge().lost().size();
    ++(world.world().executed().feasible ? tally.finished : tally.unfinished);
  }
  return tally;
}

void expect_much_judged(const Tally& tally, std::size_t cases) {
  EXPECT_EQ(tally.finished + tally.unfinished, cases);
  EXPECT_GT(tally.unfinished, cases / 100);
  EXPECT_GT(tally.finished, cases / 2);
  EXPECT_GT(tally.events, 3 * cases);
  EXPECT_GT(tally.kept, cases);
  EXPECT_GT(tally.adopted, cases / 5);
  EXPECT_GT(tally.lost, cases / 5);
}

TEST(ClusterWorld, EveryStepOfPlannersByNameStandsUpToTheJudge) {
  expect_much_judged(run_cases(1, 6000, {}), 6000);
}

TEST(ClusterWorld, EveryStepOfMillisecondTasksStandsUpToTheJudge) {
  expect_much_judged(run_cases(50'001, 54'000, {.tiny_times = true}), 4000);
}

TEST(ClusterWorld, EveryStepOfASearchStandsUpToTheJudge) {
  expect_much_judged(run_cases(100'001, 100'200, {.by_name = false}), 200);
}

}  // namespace
}  // namespace dovetail
