// The list of all heuristics that cut a cluster into groups.
#include <algorithm>
#include <array>

#include "planners/ensemble/grouping.hpp"

namespace dovetail {

namespace {

constexpr std::string_view kEnsembles = "Caniou et al. 2009";

Grouping by_basic(const MonthProblem& problem, Dispatch) { return basic_grouping(problem); }
Grouping by_imp1(const MonthProblem& problem, Dispatch) { return spread_grouping(problem, true); }
Grouping by_imp2(const MonthProblem& problem, Dispatch) { return spread_grouping(problem, false); }
Grouping by_knapsack(const MonthProblem& problem, Dispatch) { return knapsack_grouping(problem); }

constexpr std::array kGroupings = {
    // clang-format off
GroupingInfo{"basic",    "equal groups, by formula; the rest does post tasks",                   kEnsembles, by_basic,      false, false, false},
GroupingInfo{"imp1",     "basic; processors that post tasks do not need make groups larger",     kEnsembles, by_imp1,       true,  false, false},
GroupingInfo{"imp2",     "basic; all processors left make groups larger, post tasks come last",  kEnsembles, by_imp2,       true,  false, false},
GroupingInfo{"knapsack", "the groups that compute most months a second, exactly",                kEnsembles, by_knapsack,   false, true,  false},
GroupingInfo{"best",     "all of these and knapsacks of fewer groups, simulated: the shortest",  "Dovetail", best_grouping, false, true,  true},
    // clang-format on
};

}  // namespace

std::span<const GroupingInfo> groupings() { return kGroupings; }

const GroupingInfo* find_grouping(std::string_view name) {
  const auto found = std::find_if(kGroupings.begin(), kGroupings.end(),
                                  [&](const GroupingInfo& row) { return row.name == name; });
  return found == kGroupings.end() ? nullptr : &*found;
}

}  // namespace dovetail
