// The planners for several workflows as the specification reads, on an empty cluster: an array of
// the instants at which processors become free, every subset of workflows for the knapsacks, and
// fractions. It is the baseline of the benchmark and the oracle of the property tests, and shares
// nothing with the library's planners or its calendar.
//
//   plain::FairPlanner plain(problem);
//   std::vector<std::vector<plain::Slot>> slots = plain.plan("MAGS");   // by workflow, by task
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "dovetail/problem.hpp"
#include "oracles/plain_parts.hpp"

namespace dovetail::plain {

struct Fraction {
  Int128 above = 0;
  Int128 below = 1;

  static Fraction of(Int128 above, Int128 below) {
    Int128 a = above < 0 ? -above : above, b = below;
    while (b != 0) a = std::exchange(b, a % b);
    return a == 0 ? Fraction{0, 1} : Fraction{above / a, below / a};
  }
  Fraction times(Fraction o) const { return of(above * o.above, below * o.below); }
  Fraction minus(Fraction o) const {
    return of(above * o.below - o.above * below, below * o.below);
  }
  bool at_least(Fraction o) const { return above * o.below >= o.above * below; }
  Time rounded_up() const { return static_cast<Time>((above + below - 1) / below); }
};

class FairPlanner {
 public:
  using Slots = std::vector<std::vector<Slot>>;

  // Needs tasks that may run on one processor, one empty cluster, and now to be 0.
  explicit FairPlanner(const Problem& problem)
      : procs_(problem.platform().clusters()[0].processors) {
    for (std::size_t i = 0; i < problem.workflows().size(); ++i) {
      tasks_.emplace_back(problem, false, i);
      given_.push_back(tasks_[i].cpa(procs_));
      alone_.push_back(length_of(tasks_[i].map(given_[i], procs_, 0)));
    }
  }

  Slots plan(std::string_view name) {
    if (name == "SELFISH") return selfish();
    if (name == "SELFISH_ORDER") return selfish_order();
    if (name == "CRA_WORK_WEIGHT") return cra_work_weight();
    if (name == "CAFM_K_SHELVES") return cafm_k_shelves();
    return mags();
  }

  const std::vector<Duration>& alone() const { return alone_; }
  Fraction slack() const { return slack_; }  // of the last MAGS plan

  // S*.
  Fraction bound() const {
    Fraction bound;
    Int128 sum = 0;
    for (std::size_t i : by_alone()) {
      sum += alone_[i];
      const Fraction stretch = Fraction::of(sum, alone_[i]);
      if (stretch.at_least(bound)) bound = stretch;
    }
    return bound;
  }

 private:
  using Ref = std::pair<std::size_t, TaskId>;

  static Duration length_of(const std::vector<Slot>& slots) {
    Duration length = 0;
    for (const Slot& slot : slots) length = std::max(length, slot.end);
    return length;
  }

  std::vector<std::size_t> by_alone() const {
    std::vector<std::size_t> order(tasks_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return alone_[a] < alone_[b]; });
    return order;
  }

  std::vector<Ref> all() const {
    std::vector<Ref> refs;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      for (TaskId task = 0; task < tasks_[i].size(); ++task) refs.emplace_back(i, task);
    }
    return refs;
  }

  // Section 2.
  Slots compacted(const Slots& slots) const {
    std::vector<Ref> order = all();
    std::stable_sort(order.begin(), order.end(), [&](Ref a, Ref b) {
      return slots[a.first][a.second].start < slots[b.first][b.second].start;
    });
    Availability availability(procs_, 0);
    Slots moved = slots;
    for (const auto& [i, task] : order) {
      Slot& slot = moved[i][task];
      const Duration length = slot.end - slot.start;
      Time ready = 0;
      for (TaskId before : tasks_[i].before(task)) ready = std::max(ready, moved[i][before].end);
      slot.start = availability.earliest_fit(slot.procs, length, ready);
      slot.end = slot.start + length;
      availability.take(slot.start, slot.end, slot.procs);
    }
    return moved;
  }

  // Section 3.
  Slots list_map(const std::vector<Ref>& list, const std::vector<std::vector<Count>>& given) const {
    std::vector<Time> free(static_cast<std::size_t>(procs_), 0);
    Slots slots;
    for (const Tasks& tasks : tasks_) slots.emplace_back(tasks.size());
    for (const auto& [i, task] : list) {
      const auto procs = static_cast<std::size_t>(given[i][task]);
      std::sort(free.begin(), free.end());
      Time start = free[procs - 1];
      for (TaskId before : tasks_[i].before(task)) start = std::max(start, slots[i][before].end);
      const Time end = start + tasks_[i].time(task).duration(given[i][task]);
      std::fill(free.begin(), free.begin() + static_cast<std::ptrdiff_t>(procs), end);
      slots[i][task] = {given[i][task], start, end};
    }
    return slots;
  }

  Slots selfish() const {
    std::vector<std::vector<Duration>> levels;
    for (std::size_t i = 0; i < tasks_.size(); ++i) levels.push_back(tasks_[i].levels(given_[i]));
    std::vector<Ref> list = all();
    std::stable_sort(list.begin(), list.end(), [&](Ref a, Ref b) {
      return levels[a.first][a.second] > levels[b.first][b.second];
    });
    return compacted(list_map(list, given_));
  }

  Slots selfish_order() const {
    std::vector<Ref> list;
    for (std::size_t i : by_alone()) {
      for (TaskId task : Tasks::order(tasks_[i].levels(given_[i]))) list.emplace_back(i, task);
    }
    return compacted(list_map(list, given_));
  }

  static std::vector<int> precedence_levels(const Tasks& tasks) {
    std::vector<int> level(tasks.size(), 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (TaskId task = 0; task < tasks.size(); ++task) {
        for (TaskId before : tasks.before(task)) {
          if (level[task] > level[before]) continue;
          level[task] = level[before] + 1;
          changed = true;
        }
      }
    }
    return level;
  }

  std::vector<Count> within(const Tasks& tasks, Count limit) const {
    const std::vector<int> level = precedence_levels(tasks);
    return tasks.cpa(procs_, [&](const std::vector<Count>& given, TaskId task, Count next) {
      Count sum = next - given[task];
      for (TaskId other = 0; other < tasks.size(); ++other) {
        if (level[other] == level[task]) sum += given[other];
      }
      return next <= limit && sum <= limit;
    });
  }

  Slots cra_work_weight() const {
    std::vector<Int128> work(tasks_.size(), 0);
    Int128 total = 0;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      for (TaskId task = 0; task < tasks_[i].size(); ++task) {
        work[i] += tasks_[i].time(task).duration(1);
      }
      total += work[i];
    }
    const auto count = static_cast<Int128>(tasks_.size());
    std::vector<std::vector<Count>> given;
    std::vector<std::vector<Duration>> levels;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const Int128 share = procs_ * (total + count * work[i]) / (2 * count * total);
      given.push_back(within(tasks_[i], std::max(1, static_cast<Count>(share))));
      levels.push_back(tasks_[i].levels(given[i]));
    }
    std::vector<Ref> list = all();
    std::stable_sort(list.begin(), list.end(), [&](Ref a, Ref b) {
      const Int128 one = alone_[a.first], other = alone_[b.first];
      return levels[a.first][a.second] * other * other > levels[b.first][b.second] * one * one;
    });
    return compacted(list_map(list, given));
  }

  // Section 3.1. A workflow on 1..P processors.
  struct Job {
    std::vector<Duration> time;  // at p - 1; not increasing

    Count canonical(double length) const {
      for (std::size_t p = 0; p < time.size(); ++p) {
        if (static_cast<double>(time[p]) <= length) return static_cast<Count>(p + 1);
      }
      return 0;
    }
    double work(Count procs) const {
      return static_cast<double>(procs) *
             static_cast<double>(time[static_cast<std::size_t>(procs - 1)]);
    }
  };

  std::vector<Job> jobs() const {
    std::vector<Job> jobs(tasks_.size());
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      for (Count procs = 1; procs <= procs_; ++procs) {
        Duration time = length_of(tasks_[i].map(tasks_[i].cpa(procs), procs, 0));
        if (procs > 1) time = std::min(time, jobs[i].time.back());
        jobs[i].time.push_back(time);
      }
    }
    return jobs;
  }

  bool accepts(const std::vector<Job>& jobs, double d) const {
    for (const Job& job : jobs) {
      if (job.canonical(d) == 0) return false;
    }
    for (std::size_t on_second = 0; on_second < std::size_t{1} << jobs.size(); ++on_second) {
      double work = 0;
      Count width = 0;
      bool possible = true;
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        const bool is_small = static_cast<double>(jobs[i].time[0]) <= d / 2;
        const bool second = (on_second >> i & 1) != 0;
        const Count procs = is_small ? 1 : jobs[i].canonical(second ? d / 2 : d);
        possible = possible && procs > 0;
        if (procs == 0) break;
        work += jobs[i].work(procs);
        if (!is_small && !second) width += procs;
      }
      if (possible && width <= procs_ && work <= procs_ * d) return true;
    }
    return false;
  }

  double estimate(const std::vector<Job>& jobs) const {
    double low = 0, high = 0;
    for (const Job& job : jobs) {
      low = std::max(low, static_cast<double>(job.time.back()));
      high += static_cast<double>(job.time.front());
    }
    while (high - low > 0.001 * low) {
      const double middle = (low + high) / 2;
      if (accepts(jobs, middle)) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return high;
  }

  // The best of all subsets, as a list of workflows.
  std::vector<std::size_t> best_set(const std::vector<Job>& jobs,
                                    const std::vector<std::size_t>& left, double length) const {
    std::vector<std::size_t> best;
    double best_weight = 0;
    Count best_size = 0;
    for (std::size_t subset = 1; subset < std::size_t{1} << left.size(); ++subset) {
      std::vector<std::size_t> set;
      double weight = 0;
      Count size = 0;
      bool possible = true;
      for (std::size_t k = 0; k < left.size(); ++k) {
        if ((subset >> k & 1) == 0) continue;
        const Count procs = jobs[left[k]].canonical(length);
        possible = possible && procs > 0;
        size += procs;
        weight += 1.0 / static_cast<double>(alone_[left[k]]);
        set.push_back(left[k]);
      }
      if (!possible || size > procs_) continue;
      const bool same = std::abs(weight - best_weight) <= 1e-12 * weight;
      const bool better =
          same ? std::pair(size, set) < std::pair(best_size, best) : weight > best_weight;
      if (!better) continue;
      best = set;
      best_weight = weight;
      best_size = size;
    }
    return best;
  }

  Slots cafm_k_shelves() const {
    const std::vector<Job> all_jobs = jobs();
    const double makespan = estimate(all_jobs);
    double shortest = makespan;
    for (const Job& job : all_jobs) {
      shortest = std::min(shortest, static_cast<double>(job.time.back()));
    }
    double length = makespan;
    while (length / 2 >= shortest) length /= 2;
    std::vector<std::size_t> left(tasks_.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    Slots slots(tasks_.size());
    for (double begin = 0; !left.empty();) {
      const std::vector<std::size_t> chosen = best_set(all_jobs, left, length);
      for (std::size_t i : chosen) {
        const Count procs = all_jobs[i].canonical(length);
        slots[i] = tasks_[i].map(tasks_[i].cpa(procs), procs, static_cast<Time>(std::ceil(begin)));
        left.erase(std::find(left.begin(), left.end(), i));
      }
      if (!chosen.empty()) begin += length;
      if (length < makespan || chosen.empty()) length *= 2;
    }
    return compacted(slots);
  }

  // Section 4. One attempt; nothing when a task has no place.
  std::optional<Slots> attempt(Fraction slack) const {
    const std::vector<std::size_t> order = by_alone();
    const Fraction stretch = slack.times(bound());
    const auto due_time = [&](std::size_t i) { return stretch.times({alone_[i], 1}); };
    std::vector<Fraction> ends{due_time(order.back())};
    while (ends.front().times({1, 2}).at_least(due_time(order.front()))) {
      ends.insert(ends.begin(), ends.front().times({1, 2}));
    }
    std::vector<std::vector<Count>> given(tasks_.size(), std::vector<Count>(ends.size(), 0));
    share(order, ends, stretch, given);
    Slots slots;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      std::vector<Slot> placed(tasks_[i].size());
      for (std::size_t k = ends.size(); k-- > 0;) {
        const Time begin = k == 0 ? 0 : ends[k - 1].rounded_up();
        if (given[i][k] > 0) place(tasks_[i], placed, given[i][k], begin, ends[k].rounded_up());
      }
      for (const Slot& slot : placed) {
        if (slot.procs == 0) return std::nullopt;
      }
      slots.push_back(placed);
    }
    return slots;
  }

  void share(const std::vector<std::size_t>& order, const std::vector<Fraction>& ends,
             Fraction stretch, std::vector<std::vector<Count>>& given) const {
    std::vector<Fraction> missing;
    std::vector<std::size_t> due;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      missing.push_back({Int128{procs_} * alone_[i], 1});
      std::size_t k = 0;
      while (!ends[k].at_least(stretch.times({alone_[i], 1}))) ++k;
      due.push_back(k);
    }
    std::vector<Count> free(ends.size(), procs_);
    const auto length = [&](std::size_t k) {
      return k == 0 ? ends[0] : ends[k].minus(ends[k - 1]);
    };
    const auto give = [&](std::size_t i, std::size_t k) {
      ++given[i][k];
      --free[k];
      missing[i] = missing[i].minus(length(k));
    };
    for (std::size_t k = 0; k < ends.size(); ++k) {
      for (bool gave = true; gave;) {
        gave = false;
        for (std::size_t i : order) {
          if (due[i] != k || free[k] == 0 || missing[i].above <= 0) continue;
          give(i, k);
          gave = true;
        }
      }
    }
    for (std::size_t i : order) {
      for (std::size_t k = 0; k < due[i]; ++k) {
        while (free[k] > 0 && missing[i].above > 0) give(i, k);
      }
    }
  }

  // Tasks that have no place yet, in mirrored time: 0 is the period's end.
  static void place(const Tasks& tasks, std::vector<Slot>& placed, Count procs, Time begin,
                    Time end) {
    std::vector<TaskId> unplaced;
    for (TaskId task = 0; task < tasks.size(); ++task) {
      if (placed[task].procs == 0) unplaced.push_back(task);
    }
    if (unplaced.empty()) return;
    const Tasks part = tasks.reversed().part(unplaced);
    const std::vector<Count> given = part.cpa(procs);
    Availability availability(procs, 0);
    for (TaskId number : Tasks::order(part.levels(given))) {
      const TaskId task = unplaced[number];
      Time ready = 0;
      bool skip = false;
      for (TaskId next : tasks.after(task)) {
        skip = skip || placed[next].procs == 0;
        ready = std::max(ready, end - placed[next].start);
      }
      const Duration length = tasks.time(task).duration(given[number]);
      const Time at = skip ? 0 : availability.earliest_fit(given[number], length, ready);
      if (skip || at + length > end - begin) continue;
      availability.take(at, at + length, given[number]);
      placed[task] = {given[number], end - at - length, end - at};
    }
  }

  Slots mags() {
    slack_ = {1, 1};
    std::optional<Slots> found;
    while (!(found = attempt(slack_))) slack_ = slack_.times({2, 1});
    Fraction low{1, 1};
    while (!Fraction{1, 128}.at_least(slack_.minus(low))) {
      const Fraction sum = low.minus(Fraction{-slack_.above, slack_.below});
      const Fraction middle = sum.times({1, 2});
      if (auto better = attempt(middle)) {
        slack_ = middle;
        found = better;
      } else {
        low = middle;
      }
    }
    return compacted(*found);
  }

  Count procs_;
  std::vector<Tasks> tasks_;
  std::vector<std::vector<Count>> given_;  // HCPA for all processors
  std::vector<Duration> alone_;            // C*
  Fraction slack_;
};

}  // namespace dovetail::plain
