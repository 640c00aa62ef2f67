// Moldable workflows on a cluster where things happen at random, followed step by step by a judge
// that knows what the events mean and nothing of how the library goes about them.
#include "planners/cluster_world.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "dovetail/frontier.hpp"
#include "dovetail/tightest.hpp"
#include "planners/simulate.hpp"
#include "support/random_events.hpp"

namespace dovetail {
namespace {

using testing::Dice;
using testing::RandomEvents;

constexpr Duration kRounding = 2;

// Milliseconds, rounded up.
Duration whole(double milliseconds) {
  return std::max<Duration>(1, static_cast<Duration>(std::ceil(milliseconds - 1e-6)));
}

// What a task takes on so many processors at speed 1, in milliseconds.
double time_of(const TimeSpec& spec, Count procs) {
  if (spec.kind == TimeKind::amdahl) {
    return 1000 * spec.seconds * (spec.alpha + (1 - spec.alpha) / procs);
  }
  for (const auto& [count, seconds] : spec.measured) {
    if (count == procs) return 1000 * seconds;
  }
  return 1000 * spec.seconds;
}

Time end_of(const std::vector<Placement>& tasks) {
  return std::ranges::max_element(tasks, {}, &Placement::end)->end;
}

Area area_of(const std::vector<Placement>& tasks) {
  Area sum = 0;
  for (const Placement& task : tasks) sum += Area{task.procs} * (task.end - task.start);
  return sum;
}

// What has happened so far, as the events alone tell it, and what a plan from here on must keep to.
class Judge {
 public:
  Judge(const Problem& problem, double band)
      : problem_(problem),
        cluster_(problem.platform().clusters().front()),
        band_(band),
        clock_(problem.now()),
        others_(cluster_.reservations) {
    for (std::uint32_t w = 0; w < problem.workflows().size(); ++w) {
      first_.push_back(tasks_.size());
      for (TaskId task = 0; task < problem.workflows()[w].size(); ++task) {
        tasks_.push_back({.run = {.workflow = w, .task = task}});
      }
    }
  }

  const std::vector<Placement>& lost() const { return lost_; }
  const std::vector<Placement>& in_force() const { return in_force_; }
  std::size_t started() const { return started_; }
  bool has_started(std::size_t task) const { return tasks_[task].state != State::waiting; }

  // The plan in force up to this moment has been carried out.
  void advance(Time now) {
    clock_ = now;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      Task& task = tasks_[i];
      if (task.state == State::waiting && !in_force_.empty() && in_force_[i].start < now) {
        task.state = State::running;
        task.run = in_force_[i];
        ++started_;
      }
      if (task.state == State::running && task.run.end <= now) task.state = State::finished;
    }
  }

  // Whether they matter enough to plan again.
  bool apply(const std::vector<Event>& events) {
    bool matters = in_force_.empty();
    for (const Event& event : events) matters = apply(event) || matters;
    return matters;
  }

  void plans_again() {
    for (Task& task : tasks_) task.drift = 1;
  }

  // The whole plan is as what has happened, and as the world as it is known now, demand; it is in
  // force from now on.
  void take(const Plan& plan) {
    in_force_ = plan.placements;
    if (!plan.feasible) {
      EXPECT_TRUE(in_force_.empty());
      return;
    }
    ASSERT_EQ(in_force_.size(), tasks_.size());
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      SCOPED_TRACE("task " + std::to_string(i));
      EXPECT_EQ(in_force_[i].workflow, tasks_[i].run.workflow);
      EXPECT_EQ(in_force_[i].task, tasks_[i].run.task);
      if (tasks_[i].state == State::waiting) {
        expect_good(i);
      } else {
        expect_unmoved(i);
      }
    }
  }

  // Tasks that wait have kept their processors and are not earlier than they were.
  void expect_later_than(const std::vector<Placement>& before) const {
    for (std::size_t i = 0; i < tasks_.size() && !before.empty() && !in_force_.empty(); ++i) {
      if (tasks_[i].state != State::waiting) continue;
      EXPECT_EQ(in_force_[i].procs, before[i].procs) << "task " << i;
      EXPECT_GE(in_force_[i].start, std::max(clock_, before[i].start)) << "task " << i;
    }
  }

  // By the goal: a deadline that is met, then what it costs or when it ends.
  bool is_better(const std::vector<Placement>& a, const std::vector<Placement>& b) const {
    if (problem_.goal() != Goal::deadline) return end_of(a) < end_of(b);
    const bool a_meets = end_of(a) <= *problem_.deadline();
    const bool b_meets = end_of(b) <= *problem_.deadline();
    if (a_meets != b_meets) return a_meets;
    return a_meets ? area_of(a) < area_of(b) : end_of(a) < end_of(b);
  }

  // What has started, and this plan for the rest.
  std::vector<Placement> with_rest(const Plan& rest) const {
    std::vector<Placement> all;
    auto next = rest.placements.begin();
    for (const Task& task : tasks_) {
      all.push_back(task.state == State::waiting && next != rest.placements.end() ? *next++
                                                                                  : task.run);
    }
    EXPECT_TRUE(next == rest.placements.end());
    return all;
  }

  // Whether every task has enough processors once all is over that will be over.
  bool must_be_possible() const {
    if (cluster_.leaves < kForever) return false;
    Count gone = 0;
    for (const Reservation& failure : failures_) {
      if (failure.end == kForever) gone += failure.procs;
    }
    return std::ranges::all_of(tasks_, [&](const Task& task) {
      const Workflow& workflow = problem_.workflows()[task.run.workflow];
      return task.state != State::waiting ||
             workflow.time(task.run.task).min_procs() <= cluster_.processors - gone;
    });
  }

 private:
  enum class State { waiting, running, finished };
  struct Task {
    Placement run;  // of those that have started
    State state = State::waiting;
    double factor = 1;  // times longer than at first
    double drift = 1;   // times longer than when last planned
  };

  bool apply(const Event& event) {
    switch (event.kind) {
      case Event::Kind::reserve:
        others_.push_back({event.start, event.until, event.procs});
        return true;
      case Event::Kind::cancel:
        cancel({event.start, event.until, event.procs});
        return true;
      case Event::Kind::fail:
        fail(event);
        return true;
      case Event::Kind::late:
        return delay(tasks_[event.task], event.factor);
      case Event::Kind::lost:
        if (tasks_[event.task].state != State::running) return false;
        lose(tasks_[event.task]);
        return true;
      default:
        ADD_FAILURE() << "an event of a pool";
        return false;
    }
  }

  void cancel(const Reservation& given_up) {
    for (Reservation& other : others_) {
      if (!(other == given_up)) continue;
      other.end = clock_;  // in the past, or empty
      return;
    }
    ADD_FAILURE() << "cancelled what is not there";
  }

  // What it needs beyond what is idle, it gets from those of us who came last; of two that came
  // together, the later task.
  void fail(const Event& event) {
    std::int64_t missing = event.procs - std::max<std::int64_t>(0, free_at(clock_));
    failures_.push_back({clock_, event.until, event.procs});
    while (missing > 0) {
      Task* last = nullptr;
      for (Task& task : tasks_) {
        const bool runs = task.state == State::running;
        if (runs && (last == nullptr || task.run.start >= last->run.start)) last = &task;
      }
      if (last == nullptr) return;
      missing -= last->run.procs;
      lose(*last);
    }
  }

  bool delay(Task& task, double factor) {
    if (task.state != State::finished) {
      task.factor *= factor;
      task.drift *= factor;
    }
    if (task.state == State::running) {
      task.run.end = clock_ + whole(static_cast<double>(task.run.end - clock_) * factor);
      if (task.run.end > cluster_.leaves) lose(task);
    }
    return band_ == 0 || std::abs(task.drift - 1) > band_;
  }

  void lose(Task& task) {
    task.run.end = clock_;
    task.state = State::waiting;
    lost_.push_back(task.run);
  }

  // Processors that neither we, by what has started, nor others hold, and that have not failed.
  std::int64_t free_at(Time time) const {
    std::int64_t free = cluster_.processors;
    const auto holds = [&](Time start, Time end) { return start <= time && time < end; };
    for (const auto* list : {&others_, &failures_}) {
      for (const Reservation& other : *list) {
        if (holds(other.start, other.end)) free -= other.procs;
      }
    }
    for (const Task& task : tasks_) {
      const bool runs = task.state == State::running;
      if (runs && holds(task.run.start, task.run.end)) free -= task.run.procs;
    }
    return free;
  }

  // The same less what waits, by the plan in force.
  std::int64_t room_at(Time time) const {
    std::int64_t free = free_at(time);
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const Placement& other = in_force_[i];
      const bool waits = tasks_[i].state == State::waiting;
      if (waits && other.start <= time && time < other.end) free -= other.procs;
    }
    return free;
  }

  // A task that waits.
  void expect_good(std::size_t i) const {
    const Placement& task = in_force_[i];
    const Workflow& workflow = problem_.workflows()[task.workflow];
    ASSERT_TRUE(problem_.allows(task.workflow, task.task, 0, task.procs));
    EXPECT_EQ(task.cluster, 0U);
    EXPECT_GE(task.start, clock_);
    EXPECT_GE(task.start, cluster_.joins);
    EXPECT_LE(task.end, cluster_.leaves);
    const double length = time_of(workflow.time_spec(task.task), task.procs) / cluster_.speed;
    EXPECT_NEAR(static_cast<double>(task.end - task.start),
                static_cast<double>(whole(length * tasks_[i].factor)), kRounding);
    for (const TaskId before : workflow.predecessors(task.task)) {
      EXPECT_LE(in_force_[first_[task.workflow] + before].end, task.start);
    }
    expect_room(task);
  }

  // Room changes for the worse only where something starts.
  void expect_room(const Placement& task) const {
    std::vector<Time> moments{task.start};
    for (const Reservation& other : others_) moments.push_back(other.start);
    for (const Reservation& failure : failures_) moments.push_back(failure.start);
    for (const Placement& other : in_force_) moments.push_back(other.start);
    for (const Time moment : moments) {
      if (moment < task.start || moment >= task.end) continue;
      EXPECT_GE(room_at(moment), 0) << "at " << moment;
    }
  }

  void expect_unmoved(std::size_t i) {
    Placement& run = tasks_[i].run;
    EXPECT_EQ(in_force_[i].start, run.start);
    EXPECT_EQ(in_force_[i].procs, run.procs);
    EXPECT_LE(std::abs(in_force_[i].end - run.end), kRounding);
    run.end = in_force_[i].end;
  }

  const Problem& problem_;
  Cluster cluster_;
  double band_;
  Time clock_;
  std::vector<std::size_t> first_;  // by workflow
  std::vector<Task> tasks_;
  std::vector<Reservation> others_;
  std::vector<Reservation> failures_;
  std::vector<Placement> lost_;
  std::vector<Placement> in_force_;  // empty: there is no plan
  std::size_t started_ = 0;
};

// A world whose every step is judged.
class WatchedWorld final : public World {
 public:
  WatchedWorld(const Problem& problem, PlanMaker make_plan, double band)
      : judge_(problem, band),
        world_(
            problem,
            [this, make_plan = std::move(make_plan)](const Problem& rest) {
              last_made_ = make_plan(rest);
              return *last_made_;
            },
            band) {}

  const ClusterWorld& world() const { return world_; }
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
    EXPECT_EQ(matters, should_matter);
    const auto lost = world_.lost();
    EXPECT_EQ(std::vector<Placement>(lost.begin(), lost.end()), judge_.lost());
    judge_.take(world_.executed());
    judge_.expect_later_than(before);
    return matters;
  }

  std::optional<Time> current_end() const override {
    const auto end = world_.current_end();
    EXPECT_EQ(end.has_value(), !judge_.in_force().empty());
    if (end && !judge_.in_force().empty()) {
      EXPECT_EQ(*end, end_of(judge_.in_force()));
    }
    return end;
  }

  std::optional<Time> propose() override {
    judge_.plans_again();
    last_made_.reset();
    return world_.propose();
  }

  bool prefers_proposal(Time candidate, Time current) const override {
    const bool prefers = world_.prefers_proposal(candidate, current);
    if (!prefers && last_made_ && last_made_->feasible) {
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
  std::optional<Plan> last_made_;
  ClusterWorld world_;
  std::size_t adopted_ = 0;
  mutable std::size_t kept_ = 0;
};

// Events that know the plan in force, written down as they happen.
class SpitefulFeed final : public EventFeed {
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
                         const Simulation& result) {
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
  bool by_name = true;      // planned by a planner of the table, not by the best known plan
  bool tiny_times = false;  // times of a few milliseconds, where ties abound
};

struct Case {
  Problem problem;
  const PlannerInfo* planner;  // null: the best known
  double band;
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
    return {std::move(problem), options_.by_name ? planner(by_deadline) : nullptr, band};
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
  const bool can_meet = problem.goal() == Goal::deadline && *problem.deadline() > problem.now();
  if (planner == nullptr) {
    const Frontier known =
        can_meet ? known_plans_by(context, *problem.deadline()) : known_plans(context);
    const Plan* cheapest =
        can_meet ? last_within(known.plans(), *problem.deadline() - problem.now()) : nullptr;
    if (cheapest != nullptr) return *cheapest;
    return known.plans().empty() ? Plan{.feasible = false} : known.plans().front();
  }
  if (planner->goal != Goal::deadline) return plan_by(*planner, context, std::nullopt);
  if (can_meet) {
    const Plan plan = plan_by(*planner, context, problem.deadline());
    if (plan.feasible) return plan;
  }
  return tightest_plan(*planner, context);
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
void expect_same(const Case& one, const std::vector<Event>& events, const ClusterWorld& world,
                 std::vector<Evaluation> history) {
  const Simulation again =
      simulate(one.problem, events, {.planner = one.planner, .band = one.band});
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
    WatchedWorld world(
        one.problem, [&](const Problem& rest) { return plan_of(one.planner, rest); }, one.band);
    const Duration longest = options.tiny_times ? 60 : 80'000;
    SpitefulFeed feed(RandomEvents(seed, one.problem, longest), world);
    const auto history = follow(world, feed, one.problem.now());
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

TEST(ClusterWorld, EveryStepOfTheBestKnownPlanStandsUpToTheJudge) {
  expect_much_judged(run_cases(100'001, 100'200, {.by_name = false}), 200);
}

}  // namespace
}  // namespace dovetail
