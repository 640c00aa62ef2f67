// The turn-around planners as the specification reads, without any idea to make them fast: a linear
// scan of the availability for every processor count, and all bottom levels anew in every step of
// CPA. It is the baseline that the benchmarks compare with and the oracle of the property tests,
// and shares nothing with the library's planners or its calendar.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "dovetail/problem.hpp"
#include "oracles/plain_parts.hpp"

namespace dovetail::plain {

class Planner {
 public:
  Planner(const Problem& problem, bool classic_stop = false)
      : tasks_(problem, classic_stop),
        cluster_(problem.platform().clusters()[0]),
        now_(problem.now()) {}

  // level: "1", "ALL", "CPA", "CPAR"; bound: "ALL", "HALF", "CPA", "CPAR".
  std::vector<Slot> plan(std::string_view level, std::string_view bound) const {
    const std::vector<Count> most = allocation(bound);
    const std::vector<Count> ranked = level == bound ? most : allocation(level);
    Availability availability(cluster_, now_);
    std::vector<Slot> slots(tasks_.size());
    for (TaskId task : Tasks::order(tasks_.levels(ranked))) {
      Time ready = now_;
      for (TaskId before : tasks_.before(task)) ready = std::max(ready, slots[before].end);
      const TaskTime& time = tasks_.time(task);
      Slot best;
      for (Count procs = 1; procs <= most[task]; ++procs) {
        if (!time.allows(procs)) continue;
        const Duration length = time.duration(procs);
        const Time start = availability.earliest_fit(procs, length, ready);
        if (best.procs == 0 || start + length < best.end) best = {procs, start, start + length};
      }
      availability.take(best.start, best.end, best.procs);
      slots[task] = best;
    }
    return slots;
  }

  std::vector<Count> cpa(Count procs) const { return tasks_.cpa(procs); }

 private:
  std::vector<Count> allocation(std::string_view rule) const {
    if (rule == "CPA") return cpa(cluster_.processors);
    if (rule == "CPAR") return cpa(cluster_.historical_procs());
    Count most = cluster_.processors;
    if (rule == "1") most = 1;
    if (rule == "HALF") most = std::max(1, cluster_.processors / 2);
    return tasks_.most(most);
  }

  Tasks tasks_;
  Cluster cluster_;
  Time now_;
};

}  // namespace dovetail::plain
