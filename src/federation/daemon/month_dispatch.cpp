#include "federation/daemon/month_dispatch.hpp"

#include <algorithm>
#include <cmath>

namespace dovetail::federation {

namespace {

class Round {
 public:
  Round(const MonthLoad& load, const MonthProblem& problem, const Grouping& grouping,
        const DispatchRules& rules)
      : load_(load), problem_(problem), grouping_(grouping), rules_(rules) {
    free_ = rules.processors - load.running_posts - load.foreign;
    for (const Candidate& one : load.scenarios) {
      if (one.runs) free_ -= one.processors;
    }
    started_.resize(load.scenarios.size());
    awaited_.resize(load.scenarios.size());
  }

  MonthStarts decide() {
    if (!rules_.flushes) start_mains();
    start_posts();
    return std::move(starts_);
  }

 private:
  // The groups that compute nothing, fastest first. After the groups were chosen anew some months
  // run on sizes that are no group's any more: those take room and no group.
  std::vector<Count> idle_groups() const {
    std::vector<Count> idle = grouping_.groups;
    for (const Candidate& one : load_.scenarios) {
      if (!one.runs) continue;
      const auto its = std::ranges::find(idle, one.processors);
      if (its != idle.end()) idle.erase(its);
    }
    std::ranges::stable_sort(idle, {}, [&](Count procs) { return problem_.time_of(procs); });
    return idle;
  }

  bool is_free(std::size_t i) const {
    const Candidate& one = load_.scenarios[i];
    return !one.runs && !started_[i] && one.done < one.months;
  }

  std::size_t least_advanced() const {
    std::size_t best = load_.scenarios.size();
    for (std::size_t i = 0; i < load_.scenarios.size(); ++i) {
      if (!is_free(i)) continue;
      if (best == load_.scenarios.size() || load_.scenarios[i].done < load_.scenarios[best].done) {
        best = i;
      }
    }
    return best;
  }

  Duration time_on(Count procs) const {
    for (const GroupTime& size : problem_.sizes) {
      if (size.procs == procs) return size.time;
    }
    return 0;
  }

  // Whether the group had better wait for a scenario that lags behind on a slower one.
  bool waits(Count group, std::size_t candidate) {
    const Candidate& ahead = load_.scenarios[candidate];
    const Count distance =
        std::max<Count>(2, static_cast<Count>(std::sqrt(static_cast<double>(ahead.months))) / 2);
    std::size_t laggard = load_.scenarios.size();
    for (std::size_t i = 0; i < load_.scenarios.size(); ++i) {
      const Candidate& one = load_.scenarios[i];
      const bool lags = one.runs && !awaited_[i] && one.months - one.done >= 2 &&
                        ahead.done - one.done >= distance &&
                        time_on(one.processors) > problem_.time_of(group);
      if (!lags) continue;
      if (laggard == load_.scenarios.size() || one.done < load_.scenarios[laggard].done) {
        laggard = i;
      }
    }
    if (laggard == load_.scenarios.size()) return false;
    awaited_[laggard] = true;
    return true;
  }

  void start_mains() {
    for (const Count group : idle_groups()) {
      const std::size_t next = least_advanced();
      if (next == load_.scenarios.size()) return;
      if (group > free_ || waits(group, next)) continue;
      started_[next] = true;
      free_ -= group;
      starts_.mains.push_back({next, group});
    }
  }

  bool runs_any_month() const {
    return !starts_.mains.empty() || load_.foreign > 0 ||
           std::ranges::any_of(load_.scenarios, &Candidate::runs);
  }

  // Whether there is a month that has not been started.
  bool has_more_months() const {
    for (std::size_t i = 0; i < load_.scenarios.size(); ++i) {
      const Candidate& one = load_.scenarios[i];
      if (one.done + (one.runs || started_[i] ? 1 : 0) < one.months) return true;
    }
    return false;
  }

  void start_posts() {
    Count room = free_;
    if (rules_.flushes && runs_any_month()) {
      room = 0;
    } else if (!rules_.flushes && has_more_months()) {
      room = std::min(free_, grouping_.post_processors - load_.running_posts);
    }
    room = std::min(room, rules_.posts_at_once - load_.running_posts);
    starts_.posts = std::min(load_.waiting_posts, static_cast<std::size_t>(std::max(room, 0)));
  }

  const MonthLoad& load_;
  const MonthProblem& problem_;
  const Grouping& grouping_;
  const DispatchRules& rules_;
  Count free_ = 0;
  std::vector<bool> started_;
  std::vector<bool> awaited_;
  MonthStarts starts_;
};

}  // namespace

MonthStarts decide_starts(const MonthLoad& load, const MonthProblem& problem,
                          const Grouping& grouping, const DispatchRules& rules) {
  return Round(load, problem, grouping, rules).decide();
}

}  // namespace dovetail::federation
