// A search from one plan to a better one, on any number of threads with the same result.
//
// Trials run in rounds, each twice as long as the one before and cooled down separately, so a
// search that is cut short wastes at most half of its time. A round is divided into lanes with
// their own settings and seeds, which all start from the best plan so far; their best plans are
// compared in order.
//
//   PlanSearch search(view, calendar, now, limits);
//   DecodedPlan better = search.improve(plan, {.value = SearchValue::end}, 10'000);
#pragma once

#include "planners/search/anneal.hpp"
#include "planners/search/search_clock.hpp"

namespace dovetail::planning {

class PlanSearch {
 public:
  // All arguments must outlive it.
  PlanSearch(const ClusterView& view, const Calendar& calendar, Time now,
             const SearchLimits& limits, const SearchClock& clock);

  // At least as good as `from`, which must be within the goal's limits. Stops when the given share
  // of the time is used.
  DecodedPlan improve(const DecodedPlan& from, const SearchGoal& goal, std::uint64_t trials,
                      double share_of_time = 1);

  std::uint64_t trials() const { return trials_; }  // made in all calls

  DraftDecoder make_decoder() const { return DraftDecoder(view_, menu_, calendar_, now_); }
  const SizeMenu& menu() const { return menu_; }

 private:
  struct Round {
    std::uint64_t number = 0;
    std::uint64_t trials = 0;
    double share_of_time = 1;
  };
  void run_round(const Round& round, const SearchGoal& goal, DecodedPlan& best);

  const ClusterView& view_;
  const Calendar& calendar_;
  Time now_;
  const SearchLimits& limits_;
  const SearchClock& clock_;
  SizeMenu menu_;
  std::uint64_t trials_ = 0;
  std::uint64_t rounds_ = 0;
};

}  // namespace dovetail::planning
