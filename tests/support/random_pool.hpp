// Small random problems on unlike resources that join, leave and slow down: the same seed gives the
// same problem everywhere.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "planners/aheft.hpp"
#include "support/random_problem.hpp"

namespace dovetail::testing {

struct RandomPoolOptions {
  int max_tasks = 25;
  int max_resources = 6;
  bool tiny_times = false;     // times of a few milliseconds, where ties abound
  bool missing_times = false;  // some tasks do not run on some resources
  double joins = 0.35;         // share of the resources
  double leaves = 0.25;
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

  // What happens to resources that do all of it at most once, but for slowing down, in order of
  // time. Joins: those that are not in the pool.
  std::vector<Event> events(std::vector<ResourceId>& pool) {
    std::vector<Event> events;
    pool.clear();
    for (ResourceId r = 0; r < resources_; ++r) {
      Time here = now_;
      if (r > 0 && dice_.chance(options_.joins)) {
        here = moment();
        events.push_back({.time = here, .kind = Event::Kind::join, .resource = r});
      } else {
        pool.push_back(r);
      }
      const Time gone = leave(r, here, events);
      for (std::int64_t i = dice_.between(0, 2); i > 0; --i) {
        const Time time = moment();
        if (time <= here || time >= gone) continue;
        here = time;
        events.push_back(
            {.time = time, .kind = Event::Kind::slow, .resource = r, .factor = factor()});
      }
    }
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

  // Sudden or announced, or not at all; when.
  Time leave(ResourceId r, Time here, std::vector<Event>& events) {
    if (!dice_.chance(options_.leaves)) return kForever;
    const Time time = moment();
    if (time <= here) return kForever;
    Event event{.time = time, .kind = Event::Kind::leave, .resource = r};
    if (dice_.chance(0.6)) {
      event.kind = Event::Kind::leave_later;
      event.until = time + dice_.between(1, longest_ * 4);
    }
    events.push_back(event);
    return event.kind == Event::Kind::leave ? time : event.until;
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
  std::vector<Time> moments_;
};

}  // namespace dovetail::testing
