// What the plain readings of the specification are made of: availability as a list, bottom levels,
// and both phases of CPA, without any idea to make them fast. Shares nothing with the library's
// planners or its calendar.
//
//   plain::Tasks tasks(problem);
//   std::vector<Count> given = tasks.cpa(64);
//   std::vector<plain::Slot> slots = tasks.map(given, 64, problem.now());
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "dovetail/problem.hpp"

namespace dovetail::plain {

__extension__ typedef __int128 Int128;

struct Slot {
  Count procs = 0;
  Time start = 0;
  Time end = 0;
};

// Free processors as a list of (time, free from then on), gone through from one of its ends.
class Availability {
 public:
  Availability(Count processors, Time now) : steps_{{now, processors}} {}

  Availability(const Cluster& cluster, Time now) : Availability(cluster.processors, now) {
    for (const Reservation& reservation : cluster.reservations) {
      if (reservation.end > now) {
        take(std::max(now, reservation.start), reservation.end, reservation.procs);
      }
    }
    if (cluster.joins > now) take(now, cluster.joins, cluster.processors);
    if (cluster.leaves < kForever) {
      take(std::max(now, cluster.leaves), kForever, cluster.processors);
    }
  }

  void take(Time start, Time end, Count procs) {
    split(start);
    split(end);
    for (auto& [begin, free] : steps_) {
      if (begin >= start && begin < end) free -= procs;
    }
  }

  // The least start >= ready with enough processors throughout; ready itself or a change point.
  Time earliest_fit(Count procs, Duration length, Time ready) const {
    Time start = ready;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Time end = end_of(i);
      if (end <= start) continue;
      if (steps_[i].first >= start + length) break;
      if (steps_[i].second < procs) start = end;
    }
    return start;
  }

  // The greatest start >= lower that ends by the deadline, with enough processors throughout; the
  // end is the deadline itself or a change point.
  std::optional<Time> latest_fit(Count procs, Duration length, Time deadline, Time lower) const {
    Time end = deadline;
    std::size_t behind = 0;  // the first step behind the deadline
    while (behind < steps_.size() && steps_[behind].first < deadline) ++behind;
    for (std::size_t i = behind; i-- > 0;) {
      if (end - length < lower || end_of(i) <= end - length) break;
      if (steps_[i].second < procs) end = steps_[i].first;
    }
    if (end - length < lower) return std::nullopt;
    return end - length;
  }

 private:
  Time end_of(std::size_t i) const {
    return i + 1 < steps_.size() ? steps_[i + 1].first : kForever;
  }

  void split(Time t) {
    std::size_t at = 0;
    while (at < steps_.size() && steps_[at].first < t) ++at;
    if (at < steps_.size() && steps_[at].first == t) return;
    steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(at), {t, steps_[at - 1].second});
  }

  std::vector<std::pair<Time, Count>> steps_;
};

// The tasks of one of the problem's workflows as its first cluster runs them, or some of them. The
// problem must outlive them.
class Tasks {
 public:
  explicit Tasks(const Problem& problem, bool classic_stop = false, std::size_t number = 0)
      : classic_stop_(classic_stop) {
    const Workflow& workflow = problem.workflows()[number];
    for (TaskId task = 0; task < workflow.size(); ++task) {
      times_.push_back(problem.time(number, task, 0));
      const auto before = workflow.predecessors(task);
      const auto after = workflow.successors(task);
      before_.emplace_back(before.begin(), before.end());
      after_.emplace_back(after.begin(), after.end());
    }
    const auto order = workflow.topological_order();
    topological_.assign(order.begin(), order.end());
  }

  TaskId size() const { return static_cast<TaskId>(times_.size()); }
  const TaskTime& time(TaskId task) const { return times_[task]; }
  const std::vector<TaskId>& before(TaskId task) const { return before_[task]; }
  const std::vector<TaskId>& after(TaskId task) const { return after_[task]; }

  // Some of the tasks, in increasing order, and the edges between them. Task i is tasks[i].
  Tasks part(const std::vector<TaskId>& tasks) const {
    std::vector<TaskId> number(size(), kNone);
    for (TaskId i = 0; i < tasks.size(); ++i) number[tasks[i]] = i;
    const auto renumbered = [&](const std::vector<TaskId>& old) {
      std::vector<TaskId> kept;
      for (TaskId task : old) {
        if (number[task] != kNone) kept.push_back(number[task]);
      }
      return kept;
    };
    Tasks part(classic_stop_);
    for (TaskId task : tasks) {
      part.times_.push_back(times_[task]);
      part.before_.push_back(renumbered(before_[task]));
      part.after_.push_back(renumbered(after_[task]));
    }
    part.topological_ = renumbered(topological_);
    return part;
  }

  // The same tasks with every edge the other way round.
  Tasks reversed() const {
    Tasks reversed = *this;
    std::swap(reversed.before_, reversed.after_);
    std::reverse(reversed.topological_.begin(), reversed.topological_.end());
    return reversed;
  }

  // The bottom levels.
  std::vector<Duration> levels(const std::vector<Count>& given) const {
    std::vector<Duration> level(size(), 0);
    for (auto task = topological_.rbegin(); task != topological_.rend(); ++task) {
      for (TaskId next : after_[*task]) {
        level[*task] = std::max(level[*task], level[next]);
      }
      level[*task] += times_[*task].duration(given[*task]);
    }
    return level;
  }

  // By decreasing bottom level, ties to the lower number.
  static std::vector<TaskId> order(const std::vector<Duration>& level) {
    std::vector<TaskId> tasks;
    for (TaskId task = 0; task < level.size(); ++task) tasks.push_back(task);
    std::stable_sort(tasks.begin(), tasks.end(),
                     [&](TaskId a, TaskId b) { return level[a] > level[b]; });
    return tasks;
  }

  // The allocation phase, for so many processors.
  std::vector<Count> cpa(Count procs) const {
    return cpa(procs, [procs](const auto&, TaskId, Count next) { return next <= procs; });
  }

  // The same where may_grow(allocation, task, next) has to agree to every step.
  template <typename MayGrow>
  std::vector<Count> cpa(Count procs, MayGrow may_grow) const {
    std::vector<Count> given;
    for (const TaskTime& time : times_) given.push_back(time.min_procs());
    for (;;) {
      const std::vector<Duration> level = levels(given);
      Duration path_length = 0;
      Int128 area = 0;
      for (TaskId task = 0; task < size(); ++task) {
        path_length = std::max(path_length, level[task]);
        area += Int128{given[task]} * times_[task].duration(given[task]);
      }
      if (!path_dominates(path_length, area, procs)) return given;
      const auto best = best_on_path(level, given, may_grow);
      if (best == kNone) return given;
      given[best] = times_[best].next_allowed(given[best]);
    }
  }

  // The mapping phase: with these processors, on an empty cluster, each as early as possible. The
  // cluster is widened where a task needs more than it has.
  std::vector<Slot> map(const std::vector<Count>& given, Count procs, Time now) const {
    for (Count needed : given) procs = std::max(procs, needed);
    Availability availability(procs, now);
    std::vector<Slot> slots(size());
    for (TaskId task : order(levels(given))) {
      Time ready = now;
      for (TaskId other : before_[task]) ready = std::max(ready, slots[other].end);
      const Duration length = times_[task].duration(given[task]);
      const Time start = availability.earliest_fit(given[task], length, ready);
      slots[task] = {given[task], start, start + length};
      availability.take(start, start + length, given[task]);
    }
    return slots;
  }

  // As many processors as each task may use of so many, but not fewer than it needs.
  std::vector<Count> most(Count procs) const {
    std::vector<Count> given;
    for (const TaskTime& time : times_) {
      given.push_back(std::max(time.min_procs(), time.floor_allowed(procs)));
    }
    return given;
  }

 private:
  static constexpr TaskId kNone = static_cast<TaskId>(-1);

  explicit Tasks(bool classic_stop) : classic_stop_(classic_stop) {}

  bool path_dominates(Duration path, Int128 area, Count procs) const {
    const auto tasks = static_cast<Int128>(size());
    if (classic_stop_ || tasks >= procs) return Int128{path} * procs > area;
    return Int128{path} * path * tasks * procs > area * area;
  }

  template <typename MayGrow>
  TaskId best_on_path(const std::vector<Duration>& level, const std::vector<Count>& given,
                      MayGrow may_grow) const {
    TaskId best = kNone;
    Int128 best_above = 0, best_below = 1;
    for (TaskId task : critical_path(level)) {
      const Count now = given[task];
      const Count next = times_[task].next_allowed(now);
      if (next == 0 || !may_grow(given, task, next)) continue;
      const Int128 above =
          Int128{times_[task].duration(now)} * next - Int128{times_[task].duration(next)} * now;
      const Int128 below = Int128{now} * next;
      const Int128 left = above * best_below, right = best_above * below;
      if (above > 0 && (left > right || (left == right && task < best))) {
        best = task;
        best_above = above;
        best_below = below;
      }
    }
    return best;
  }

  std::vector<TaskId> critical_path(const std::vector<Duration>& level) const {
    TaskId at = kNone;
    for (TaskId task = 0; task < size(); ++task) {
      if (!before_[task].empty()) continue;
      if (at == kNone || level[task] > level[at]) at = task;
    }
    std::vector<TaskId> path;
    while (at != kNone) {
      path.push_back(at);
      TaskId next = kNone;
      for (TaskId task : after_[at]) {
        if (next == kNone || level[task] > level[next]) next = task;
      }
      at = next;
    }
    return path;
  }

  std::vector<TaskTime> times_;
  std::vector<std::vector<TaskId>> before_;
  std::vector<std::vector<TaskId>> after_;
  std::vector<TaskId> topological_;
  bool classic_stop_;
};

}  // namespace dovetail::plain
