// The shortest of many groupings, by simulation: the knapsack for every limit of groups from one to
// the number of scenarios, then basic and its two improvements. Never longer than any of them.
//
// The first among equals wins. Candidates are simulated in the order of a lower bound of their
// makespan, and those whose bound says that they cannot win are not simulated at all.
#include <algorithm>
#include <limits>

#include "planners/ensemble/grouping.hpp"
#include "planners/ensemble/knapsack.hpp"
#include "planners/ensemble/month_formula.hpp"
#include "planners/ensemble/month_simulation.hpp"

namespace dovetail::planning {

Duration shortest_possible(const MonthProblem& problem, const Grouping& grouping,
                           Dispatch dispatch) {
  Duration main = least_time_of_months(problem, grouping.groups, problem.all_months());
  if (dispatch != Dispatch::ideal) {
    const Count largest = *std::max_element(grouping.groups.begin(), grouping.groups.end());
    main = std::max(main, problem.months * problem.time_of(largest));
  }
  return main + (problem.posts > 0 ? problem.post : 0);
}

std::vector<Grouping> grouping_candidates(const MonthProblem& problem) {
  std::vector<Grouping> found;
  const auto add = [&](Grouping grouping) {
    if (std::find(found.begin(), found.end(), grouping) != found.end()) return;
    found.push_back(std::move(grouping));
  };
  const Knapsack knapsack(problem.sizes, problem.for_groups(), problem.scenarios);
  for (Count limit = 1; limit <= knapsack.useful_limit(); ++limit) {
    add(with_rest(problem, knapsack.groups(limit)));
  }
  add(basic_grouping(problem));
  add(spread_grouping(problem, true));
  add(spread_grouping(problem, false));
  return found;
}

Grouping best_grouping(const MonthProblem& problem, Dispatch dispatch) {
  struct BoundedGrouping {
    std::size_t rank = 0;  // the lower wins a tie
    Duration bound = 0;
  };
  const std::vector<Grouping> all = grouping_candidates(problem);
  std::vector<BoundedGrouping> order;
  order.reserve(all.size());
  for (const Grouping& grouping : all) {
    order.push_back({order.size(), shortest_possible(problem, grouping, dispatch)});
  }
  std::stable_sort(
      order.begin(), order.end(),
      [](const BoundedGrouping& a, const BoundedGrouping& b) { return a.bound < b.bound; });
  BoundedGrouping best = order.front();
  Duration shortest = std::numeric_limits<Duration>::max();
  for (const BoundedGrouping& candidate : order) {
    if (candidate.bound > shortest) break;
    const MonthResult result = simulate_months(problem, all[candidate.rank], dispatch);
    // A grouping on which the disk fills for good only wins over others like it.
    const Duration makespan = result.is_stuck ? kForever : result.makespan;
    if (makespan > shortest || (makespan == shortest && candidate.rank > best.rank)) continue;
    shortest = makespan;
    best = candidate;
  }
  return all[best.rank];
}

}  // namespace dovetail::planning
