// The deadline planners as the specification reads, without any idea to make them fast: a linear
// scan of the availability for every processor count, and every lambda from an untouched profile.
// It is the baseline that the benchmarks compare with and the oracle of the property tests, and
// shares nothing with the library's planners or its calendar.
//
//   plain::DeadlinePlanner planner(problem, "DL_RC_CPAR-lambda");
//   plain::DeadlinePlan plan = planner.plan(deadline);
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "dovetail/planner.hpp"
#include "dovetail/problem.hpp"
#include "oracles/plain_parts.hpp"

namespace dovetail::plain {

struct DeadlinePlan {
  std::vector<Slot> slots = {};        // empty when the deadline is not met
  std::optional<int> twentieths = {};  // lambda, where one was searched and found
  Time deadline = 0;
  bool feasible() const { return !slots.empty(); }
};

class DeadlinePlanner {
 public:
  // By the published name of the algorithm, DL_x.
  DeadlinePlanner(const Problem& problem, std::string_view name, const PlannerOptions& options = {})
      : tasks_(problem, options.cpa_stop == CpaStop::classic),
        cluster_(problem.platform().clusters()[0]),
        now_(problem.now()),
        searches_(name.ends_with("-lambda")) {
    const std::vector<Count> cpar = tasks_.cpa(cluster_.historical_procs());
    order_ = Tasks::order(tasks_.levels(cpar));
    const bool for_all = name.ends_with("_CPA");
    const auto share = [&] { return for_all ? tasks_.cpa(cluster_.processors) : cpar; };
    const bool aggressive = name.starts_with("DL_BD_");
    const bool plain_rc = name.starts_with("DL_RC_") && !searches_;
    const bool bounded = (aggressive && name != "DL_BD_ALL") || name.starts_with("DL_RCBD_") ||
                         (plain_rc && options.fallback == Fallback::share);
    bounds_ = bounded ? share() : tasks_.most(cluster_.processors);
    if (aggressive) return;
    guide_ = guide(for_all ? cluster_.processors : cluster_.historical_procs(), options.guide);
  }

  DeadlinePlan plan(Time deadline) const {
    for (int twentieths = 0; twentieths <= (searches_ ? 20 : 0); ++twentieths) {
      DeadlinePlan plan = plan_at(deadline, twentieths);
      if (!plan.feasible()) continue;
      if (searches_) plan.twentieths = twentieths;
      return plan;
    }
    return {.deadline = deadline};
  }

  // One pass.
  DeadlinePlan plan_at(Time deadline, int twentieths) const {
    Availability availability(cluster_, now_);
    DeadlinePlan plan{.slots = std::vector<Slot>(tasks_.size()), .deadline = deadline};
    for (auto task = order_.rbegin(); task != order_.rend(); ++task) {
      Time limit = deadline;
      for (TaskId after : tasks_.after(*task)) limit = std::min(limit, plan.slots[after].start);
      const Slot slot = choose(availability, *task, limit, twentieths);
      if (slot.procs == 0) return {.deadline = deadline};
      availability.take(slot.start, slot.end, slot.procs);
      plan.slots[*task] = slot;
    }
    return plan;
  }

  // The critical path with every task on the whole cluster.
  Duration critical_path() const {
    const auto level = tasks_.levels(tasks_.most(cluster_.processors));
    return *std::max_element(level.begin(), level.end());
  }

  // For the tightest deadline: 5 % more until it is met, then the last step halved down to 1 s. Not
  // met: there is time for all tasks one after the other, and still they do not fit.
  DeadlinePlan tightest() const {
    Duration span = critical_path();
    DeadlinePlan best = plan(now_ + span);
    if (best.feasible()) return best;
    Duration missed = span;
    while (!best.feasible()) {
      if (span >= long_enough()) return best;
      missed = span;
      span = std::max(span + 1, span * 21 / 20);
      best = plan(now_ + span);
    }
    while (span - missed > 1000) {
      const Duration middle = (missed + span) / 2;
      DeadlinePlan between = plan(now_ + middle);
      if (between.feasible()) best = between;
      (between.feasible() ? span : missed) = middle;
    }
    return best;
  }

 private:
  // No processors when nothing is found.
  Slot choose(const Availability& availability, TaskId task, Time limit, int twentieths) const {
    const TaskTime& time = tasks_.time(task);
    Slot latest;
    for (Count procs = 1; procs <= cluster_.processors; ++procs) {
      if (guide_.empty() && procs > bounds_[task]) break;
      if (!time.allows(procs)) continue;
      const Duration length = time.duration(procs);
      const auto start = availability.latest_fit(procs, length, limit, now_);
      if (!start) continue;
      const Slot slot{procs, *start, *start + length};
      if (!guide_.empty()) {
        const Time guide = guide_[task];
        if (20 * *start >= 20 * guide + twentieths * (limit - guide)) return slot;
      }
      if (procs > bounds_[task]) continue;
      if (latest.procs == 0 || slot.start > latest.start) latest = slot;
    }
    return latest;
  }

  // S of every task, from CPA for so many processors.
  std::vector<Time> guide(Count procs, GuideReading reading) const {
    const std::vector<Count> given = tasks_.cpa(procs);
    std::vector<Time> starts(tasks_.size());
    if (reading == GuideReading::front) {
      const std::vector<Slot> slots = tasks_.map(given, procs, now_);
      for (TaskId task = 0; task < tasks_.size(); ++task) starts[task] = slots[task].start;
      return starts;
    }
    std::vector<TaskId> unplaced;
    for (TaskId task : order_) {
      unplaced.insert(std::upper_bound(unplaced.begin(), unplaced.end(), task), task);
      const Tasks part = tasks_.part(unplaced);
      std::vector<Count> allocation;
      for (TaskId other : unplaced) allocation.push_back(given[other]);
      if (reading == GuideReading::remaining) allocation = part.cpa(procs);
      const auto at = std::find(unplaced.begin(), unplaced.end(), task) - unplaced.begin();
      starts[task] = part.map(allocation, procs, now_)[static_cast<std::size_t>(at)].start;
    }
    return starts;
  }

  Duration long_enough() const {
    Time last = now_;
    for (const Reservation& reservation : cluster_.reservations) {
      last = std::max(last, reservation.end);
    }
    if (cluster_.joins > kBeginning) last = std::max(last, cluster_.joins);
    if (cluster_.leaves < kForever) last = std::max(last, cluster_.leaves);
    for (TaskId task = 0; task < tasks_.size(); ++task) {
      last += tasks_.time(task).duration(tasks_.time(task).min_procs());
    }
    return last - now_;
  }

  Tasks tasks_;
  Cluster cluster_;
  Time now_;
  bool searches_;
  std::vector<TaskId> order_;
  std::vector<Count> bounds_;  // of aggressive choices
  std::vector<Time> guide_;    // empty for the aggressive algorithms
};

}  // namespace dovetail::plain
