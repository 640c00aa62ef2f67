// A judge of plans on a cluster where things happen. It knows what the events mean and nothing of
// how the library goes about them; it is told the plan in force and the events, step by step.
//
//   Judge judge(problem, 0.2);
//   judge.take(plan);
//   judge.advance(batch.time);
//   judge.apply(batch.events);
//   judge.take(next_plan);
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "dovetail/event.hpp"
#include "dovetail/metrics.hpp"
#include "dovetail/plan.hpp"

namespace dovetail::testing {

inline constexpr Duration kRounding = 2;

// Milliseconds, rounded up.
inline Duration whole(double milliseconds) {
  return std::max<Duration>(1, static_cast<Duration>(std::ceil(milliseconds - 1e-6)));
}

// What a task takes on so many processors at speed 1, in milliseconds.
inline double time_of(const TimeSpec& spec, Count procs) {
  if (spec.kind == TimeKind::amdahl) {
    return 1000 * spec.seconds * (spec.alpha + (1 - spec.alpha) / procs);
  }
  for (const auto& [count, seconds] : spec.measured) {
    if (count == procs) return 1000 * seconds;
  }
  return 1000 * spec.seconds;
}

inline Time end_of(const std::vector<Placement>& tasks) {
  return std::ranges::max_element(tasks, {}, &Placement::end)->end;
}

inline Area area_of(const std::vector<Placement>& tasks) {
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

  // The plan in force up to this moment has been carried out.
  void advance(Time now) {
    clock_ = now;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      Task& task = tasks_[i];
      if (task.state == State::waiting && !in_force_.empty() && in_force_[i].start < now) {
        task.state = State::running;
        task.run = in_force_[i];
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

  // Whether the end has moved by more than the band, of what was left then; or is gone.
  bool ends_much_later_than(const std::vector<Placement>& before) const {
    if (before.empty() || in_force_.empty()) return true;
    const Duration left = end_of(before) - clock_;
    const Duration moved = end_of(in_force_) - end_of(before);
    return static_cast<double>(moved) > band_ * static_cast<double>(left);
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
};

}  // namespace dovetail::testing
