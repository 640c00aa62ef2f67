// Small random problems on heterogeneous resources that join, leave, come back and slow down, and
// tasks that are late or lost: the same seed gives the same problem everywhere.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "planners/replan/aheft.hpp"
#include "support/random_problem.hpp"

namespace dovetail::testing {

struct RandomPoolOptions {
  int max_tasks = 25;
  int max_resources = 6;
  bool tiny_times = false;     // times of a few milliseconds, where ties abound
  bool missing_times = false;  // some tasks do not run on some resources
  double joins = 0.35;         // share of the resources
  double leaves = 0.25;
  double returns = 0.5;  // share of the leaves, sudden or announced, that a join follows or revokes
  int task_events = 0;   // tasks that are late or lost, at most
};

class RandomPool {
 public:
  explicit RandomPool(std::uint64_t seed, const RandomPoolOptions& options = {})
      : dice_(seed), options_(options) {
    resources_ = static_cast<std::size_t>(dice_.between(1, options.max_resources));
    longest_ = options.tiny_times ? dice_.between(1, 8) : dice_.between(100, 60'000);
    now_ = dice_.chance(0.7) ? 0 : dice_.between(1, 100'000);
  }

  Problem problem(std::size_t workflows = 1) {
    std::vector<Workflow> all;
    for (std::size_t i = 0; i < workflows; ++i) all.push_back(workflow("w" + std::to_string(i)));
    return Problem(std::move(all), platform());
  }

  // What happens to the resources of the pool and to those that join, and to tasks, in order of
  // time. Needs a problem made before.
  std::vector<Event> events(std::vector<planning::ResourceId>& pool) {
    std::vector<Event> events;
    pool.clear();
    const bool tasks_first = dice_.chance(0.5);
    if (tasks_first) happen_to_tasks(events);
    for (planning::ResourceId r = 0; r < resources_; ++r) {
      Time here = now_;
      if (r > 0 && dice_.chance(options_.joins)) {
        here = moment();
        events.push_back({.time = here, .kind = Event::Kind::join, .resource = r});
      } else {
        pool.push_back(r);
      }
      if (dice_.chance(0.5)) slow(r, events);
      come_and_go(r, here, events);
      slow(r, events);
    }
    if (!tasks_first) happen_to_tasks(events);
    std::stable_sort(events.begin(), events.end(),
                     [](const Event& a, const Event& b) { return a.time < b.time; });
    return events;
  }

  Time now() const { return now_; }
  Dice& dice() { return dice_; }

 private:
  Workflow workflow(const std::string& name) {
    WorkflowBuilder builder(name);
    const auto tasks = static_cast<TaskId>(dice_.between(1, options_.max_tasks));
    const std::int64_t most_transfer = longest_ * dice_.between(0, 6) / 2;
    const double density = dice_.real(0, 0.4);
    work_ += longest_ * tasks;
    tasks_ += tasks;
    for (TaskId task = 0; task < tasks; ++task) {
      builder.add_task({.id = "t" + std::to_string(task), .time = times()});
      for (TaskId from = 0; from < task; ++from) {
        if (!dice_.chance(density)) continue;
        builder.add_edge(from, task, dice_.between(0, most_transfer));
      }
    }
    return std::move(builder).build();
  }

  TimeSpec times() {
    std::vector<std::pair<std::string, double>> times;
    const std::int64_t always = dice_.between(0, static_cast<std::int64_t>(resources_) - 1);
    for (std::size_t r = 0; r < resources_; ++r) {
      const double seconds = static_cast<double>(dice_.between(1, longest_)) / 1000;
      const bool missing = options_.missing_times && dice_.chance(0.2);
      if (missing && static_cast<std::int64_t>(r) != always) continue;
      times.emplace_back("r" + std::to_string(r), seconds);
    }
    return TimeSpec::per_resource(times);
  }

  Platform platform() {
    std::vector<Cluster> clusters;
    for (std::size_t r = 0; r < resources_; ++r) {
      Cluster cluster{.name = "r" + std::to_string(r), .processors = 1};
      if (dice_.chance(options_.joins)) cluster.joins = dice_.chance(0.1) ? now_ : moment();
      if (dice_.chance(options_.leaves)) {
        const Time leaves = dice_.chance(0.05) ? now_ : moment();
        if (leaves > cluster.joins) cluster.leaves = leaves;
      }
      clusters.push_back(std::move(cluster));
    }
    return Platform(now_, std::move(clusters));
  }

  // From a moment at which the resource is there.
  void come_and_go(planning::ResourceId r, Time here, std::vector<Event>& events) {
    while (dice_.chance(options_.leaves)) {
      const Time time = dice_.chance(0.5) ? moment() : here + dice_.between(1, longest_ * 2);
      if (time <= here) return;
      Event event{.time = time, .kind = Event::Kind::leave, .resource = r};
      Time gone = time;
      if (dice_.chance(0.6)) {
        event.kind = Event::Kind::leave_later;
        gone = event.until = time + dice_.between(1, longest_ * 4);
      }
      events.push_back(event);
      if (!dice_.chance(options_.returns)) return;
      here = back(time, gone);
      events.push_back({.time = here, .kind = Event::Kind::join, .resource = r});
    }
    // One that changes nothing.
    if (options_.returns > 0 && dice_.chance(0.05)) {
      events.push_back({.time = std::max(here, moment()), .resource = r});
    }
  }

  // When a resource joins of which it was heard at `time` that it would be gone at `gone`: before
  // or after that, or just then.
  Time back(Time time, Time gone) {
    if (dice_.chance(0.2)) return dice_.chance(0.5) ? time : gone;
    if (dice_.chance(0.5)) return dice_.between(time, gone);
    return gone + dice_.between(0, longest_ * 2);
  }

  void slow(planning::ResourceId r, std::vector<Event>& events) {
    if (!dice_.chance(0.5)) return;
    events.push_back(
        {.time = moment(), .kind = Event::Kind::slow, .resource = r, .factor = factor()});
  }

  void happen_to_tasks(std::vector<Event>& events) {
    for (std::int64_t left = dice_.between(0, options_.task_events); left > 0; --left) {
      const bool is_late = dice_.chance(0.5);
      events.push_back({.time = moment(),
                        .kind = is_late ? Event::Kind::late : Event::Kind::lost,
                        .factor = is_late ? factor() : 1,
                        .task = static_cast<TaskId>(dice_.between(0, tasks_ - 1))});
    }
  }

  double factor() {
    const std::vector<double> factors = {0.5, 0.75, 1, 1.25, 1.5, 2, 3, 10};
    return factors[static_cast<std::size_t>(
        dice_.between(0, static_cast<std::int64_t>(factors.size()) - 1))];
  }

  // After now, and within the time that the work may take. Some moments come twice.
  Time moment() {
    if (!moments_.empty() && dice_.chance(0.25)) {
      const auto last = static_cast<std::int64_t>(moments_.size()) - 1;
      return moments_[static_cast<std::size_t>(dice_.between(0, last))];
    }
    const Duration span = work_ * 2 / static_cast<Duration>(resources_ + 1) + 1;
    return moments_.emplace_back(now_ + dice_.between(1, span));
  }

  Dice dice_;
  RandomPoolOptions options_;
  std::size_t resources_ = 1;
  Duration longest_ = 1;
  Time now_ = 0;
  Duration work_ = 0;
  std::int64_t tasks_ = 0;
  std::vector<Time> moments_;
};

}  // namespace dovetail::testing
