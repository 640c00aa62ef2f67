// The turn-around planners as the specification reads, without any idea to make them fast: a linear
// scan of the availability for every processor count, and all bottom levels anew in every step of
// CPA. It is the baseline that the benchmarks compare with and the oracle of the property tests,
// and shares nothing with the library's planners or its calendar.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dovetail/problem.hpp"

namespace dovetail::plain {

__extension__ typedef __int128 Int128;

// Free processors as a list of (time, free from then on), gone through from its beginning.
class Availability {
 public:
  Availability(const Cluster& cluster, Time now) : steps_{{now, cluster.processors}} {
    for (const Reservation& reservation : cluster.reservations) {
      if (reservation.end > now) {
        take(std::max(now, reservation.start), reservation.end, reservation.procs);
      }
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
      const Time end = i + 1 < steps_.size() ? steps_[i + 1].first : kForever;
      if (end <= start) continue;
      if (steps_[i].first >= start + length) break;
      if (steps_[i].second < procs) start = end;
    }
    return start;
  }

 private:
  void split(Time t) {
    std::size_t at = 0;
    while (at < steps_.size() && steps_[at].first < t) ++at;
    if (at < steps_.size() && steps_[at].first == t) return;
    steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(at), {t, steps_[at - 1].second});
  }

  std::vector<std::pair<Time, Count>> steps_;
};

struct Slot {
  Count procs = 0;
  Time start = 0;
  Time end = 0;
};

class Planner {
 public:
  Planner(const Problem& problem, bool classic_stop = false)
      : workflow_(problem.workflows()[0]),
        cluster_(problem.platform().clusters()[0]),
        now_(problem.now()),
        classic_stop_(classic_stop) {
    for (TaskId task = 0; task < workflow_.size(); ++task) {
      times_.push_back(problem.time(0, task, 0));
    }
  }

  // level: "1", "ALL", "CPA", "CPAR"; bound: "ALL", "HALF", "CPA", "CPAR".
  std::vector<Slot> plan(std::string_view level, std::string_view bound) const {
    const std::vector<Count> most = allocation(bound);
    const std::vector<Count> ranked = level == bound ? most : allocation(level);
    Availability availability(cluster_, now_);
    std::vector<Slot> slots(workflow_.size());
    for (TaskId task : order(levels(ranked))) {
      Time ready = now_;
      for (TaskId before : workflow_.predecessors(task)) {
        ready = std::max(ready, slots[before].end);
      }
      Slot best;
      for (Count procs = 1; procs <= most[task]; ++procs) {
        if (!times_[task].allows(procs)) continue;
        const Duration length = times_[task].duration(procs);
        const Time start = availability.earliest_fit(procs, length, ready);
        if (best.procs == 0 || start + length < best.end) best = {procs, start, start + length};
      }
      availability.take(best.start, best.end, best.procs);
      slots[task] = best;
    }
    return slots;
  }

  std::vector<Count> cpa(Count procs) const {
    std::vector<Count> given;
    for (const TaskTime& time : times_) given.push_back(time.min_procs());
    for (;;) {
      const std::vector<Duration> level = levels(given);
      Duration path_length = 0;
      Int128 area = 0;
      for (TaskId task = 0; task < workflow_.size(); ++task) {
        path_length = std::max(path_length, level[task]);
        area += Int128{given[task]} * times_[task].duration(given[task]);
      }
      if (!path_dominates(path_length, area, procs)) return given;
      const auto best = best_on_path(level, given, procs);
      if (best == kNone) return given;
      given[best] = times_[best].next_allowed(given[best]);
    }
  }

 private:
  static constexpr TaskId kNone = static_cast<TaskId>(-1);

  bool path_dominates(Duration path, Int128 area, Count procs) const {
    const auto tasks = static_cast<Int128>(workflow_.size());
    if (classic_stop_ || tasks >= procs) return Int128{path} * procs > area;
    return Int128{path} * path * tasks * procs > area * area;
  }

  TaskId best_on_path(const std::vector<Duration>& level, const std::vector<Count>& given,
                      Count procs) const {
    TaskId best = kNone;
    Int128 best_above = 0, best_below = 1;
    for (TaskId task : critical_path(level)) {
      const Count now = given[task];
      const Count next = times_[task].next_allowed(now);
      if (next == 0 || next > procs) continue;
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
    for (TaskId task = 0; task < workflow_.size(); ++task) {
      if (!workflow_.predecessors(task).empty()) continue;
      if (at == kNone || level[task] > level[at]) at = task;
    }
    std::vector<TaskId> path;
    while (at != kNone) {
      path.push_back(at);
      TaskId next = kNone;
      for (TaskId task : workflow_.successors(at)) {
        if (next == kNone || level[task] > level[next]) next = task;
      }
      at = next;
    }
    return path;
  }

  std::vector<Duration> levels(const std::vector<Count>& given) const {
    std::vector<Duration> level(workflow_.size(), 0);
    const auto order = workflow_.topological_order();
    for (auto task = order.rbegin(); task != order.rend(); ++task) {
      for (TaskId next : workflow_.successors(*task)) {
        level[*task] = std::max(level[*task], level[next]);
      }
      level[*task] += times_[*task].duration(given[*task]);
    }
    return level;
  }

  static std::vector<TaskId> order(const std::vector<Duration>& level) {
    std::vector<TaskId> tasks;
    for (TaskId task = 0; task < level.size(); ++task) tasks.push_back(task);
    std::stable_sort(tasks.begin(), tasks.end(),
                     [&](TaskId a, TaskId b) { return level[a] > level[b]; });
    return tasks;
  }

  std::vector<Count> allocation(std::string_view rule) const {
    if (rule == "CPA") return cpa(cluster_.processors);
    if (rule == "CPAR") return cpa(cluster_.historical_procs());
    Count most = cluster_.processors;
    if (rule == "1") most = 1;
    if (rule == "HALF") most = std::max(1, cluster_.processors / 2);
    std::vector<Count> given;
    for (const TaskTime& time : times_) {
      given.push_back(std::max(time.min_procs(), time.floor_allowed(most)));
    }
    return given;
  }

  Workflow workflow_;
  Cluster cluster_;
  Time now_;
  bool classic_stop_;
  std::vector<TaskTime> times_;
};

}  // namespace dovetail::plain
