// Things that happen to a cluster while a plan is in force there, at random: the same seed gives
// the same events as long as the plans are the same.
//
// Events are made one instant at a time, so that they can fall on the very moments at which tasks
// of the plan in force start and end.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "dovetail/event.hpp"
#include "dovetail/plan.hpp"
#include "support/random_problem.hpp"

namespace dovetail::testing {

class RandomEvents {
 public:
  // Nothing that is temporary lasts longer than `longest`.
  RandomEvents(std::uint64_t seed, const Problem& problem, Duration longest)
      : dice_(seed),
        longest_(longest),
        cluster_(problem.platform().clusters().front()),
        tasks_(static_cast<TaskId>(problem.task_count())),
        clock_(problem.now() - 1),
        left_(dice_.between(1, 7)) {}

  // What happens next, all of one instant, before `until`.
  std::vector<Event> next(const Plan& in_force, Time until) {
    std::vector<Event> events;
    if (left_-- <= 0) return events;
    const Time time = moment(in_force, until);
    if (time <= clock_ || time >= until) return events;
    clock_ = time;
    do {
      if (auto event = any(in_force)) events.push_back(*event);
    } while (dice_.chance(0.3) || events.empty());
    return events;
  }

 private:
  // After the last one: when a task starts or ends, just beside that, or whenever.
  Time moment(const Plan& in_force, Time until) {
    if (in_force.placements.empty()) return clock_ + dice_.between(1, longest_);
    if (dice_.chance(0.5)) {
      for (int tries = 0; tries < 5; ++tries) {
        const Time time = edge_of(in_force) + (dice_.chance(0.2) ? dice_.between(-1, 1) : 0);
        if (time > clock_) return time;
      }
    }
    if (clock_ + 1 >= until) return until;
    return clock_ + dice_.between(1, std::max<Time>(1, (until - clock_) / left_or_one()));
  }

  std::int64_t left_or_one() const { return std::max<std::int64_t>(1, left_); }

  Time edge_of(const Plan& in_force) {
    const auto last = static_cast<std::int64_t>(in_force.placements.size()) - 1;
    const auto& task = in_force.placements[static_cast<std::size_t>(dice_.between(0, last))];
    return dice_.chance(0.5) ? task.start : task.end;
  }

  std::optional<Event> any(const Plan& in_force) {
    switch (dice_.between(0, 8)) {
      case 0:
      case 1:
        return reserve(in_force);
      case 2:
        return cancel();
      case 3:
      case 4:
        return fail();
      case 5:
      case 6:
        return Event{.time = clock_, .kind = Event::Kind::lost, .task = started(in_force)};
      default:
        return Event{.time = clock_,
                     .kind = Event::Kind::late,
                     .factor = factor(),
                     .task = dice_.chance(0.6) ? started(in_force) : any_task()};
    }
  }

  // Never more than the cluster has, together with what others have booked already.
  std::optional<Event> reserve(const Plan& in_force) {
    Event event{.time = clock_, .kind = Event::Kind::reserve, .start = clock_};
    if (dice_.chance(0.5)) event.start += dice_.between(0, longest_);
    if (dice_.chance(0.2) && in_force.feasible) event.start = std::max(clock_, edge_of(in_force));
    event.until = event.start + dice_.between(1, dice_.chance(0.2) ? longest_ / 10 : longest_);
    event.procs = procs(cluster_.processors);
    cluster_.reservations.push_back({event.start, event.until, event.procs});
    if (!find_overbooking(cluster_)) return event;
    cluster_.reservations.pop_back();
    return std::nullopt;
  }

  // One that has not ended.
  std::optional<Event> cancel() {
    auto& all = cluster_.reservations;
    if (all.empty()) return std::nullopt;
    const auto chosen = all.begin() + dice_.between(0, static_cast<std::int64_t>(all.size()) - 1);
    if (chosen->end <= clock_) return std::nullopt;
    const Event event{.time = clock_,
                      .kind = Event::Kind::cancel,
                      .until = chosen->end,
                      .start = chosen->start,
                      .procs = chosen->procs};
    // The first of those that are alike, as everybody does it.
    const auto found = std::find(all.begin(), all.end(), *chosen);
    if (found->start < clock_) {
      found->end = clock_;
    } else {
      all.erase(found);
    }
    return event;
  }

  Event fail() {
    const bool most = dice_.chance(0.2);
    Event event{.time = clock_, .kind = Event::Kind::fail, .until = kForever};
    event.procs = procs(most ? cluster_.processors : std::max(1, cluster_.processors / 3));
    if (!dice_.chance(0.15)) event.until = clock_ + dice_.between(1, longest_);
    return event;
  }

  Count procs(Count most) { return static_cast<Count>(dice_.between(1, most)); }
  TaskId any_task() { return static_cast<TaskId>(dice_.between(0, tasks_ - 1)); }

  // One that has started, if it is easily found.
  TaskId started(const Plan& in_force) {
    for (int tries = 0; tries < 6 && in_force.feasible; ++tries) {
      const TaskId task = any_task();
      if (in_force.placements[task].start <= clock_ && in_force.placements[task].end >= clock_) {
        return task;
      }
    }
    return any_task();
  }

  double factor() {
    constexpr double kFactors[] = {0.3, 0.5, 0.9, 1, 1.1, 1.15, 1.5, 2, 4};
    return dice_.chance(0.3) ? dice_.real(0.3, 4) : kFactors[dice_.between(0, 8)];
  }

  Dice dice_;
  Duration longest_;
  Cluster cluster_;  // with what others have booked by now
  TaskId tasks_;
  Time clock_;
  std::int64_t left_;  // instants to come
};

}  // namespace dovetail::testing
