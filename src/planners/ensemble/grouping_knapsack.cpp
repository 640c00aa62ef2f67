// Improvement 3: the groups that compute most months a second. Source: Caniou et al. 2009, section
// 4.2; see knapsack.hpp. It does not see that the chain of a scenario may end up on a slow group.
#include "planners/ensemble/grouping.hpp"
#include "planners/ensemble/knapsack.hpp"

namespace dovetail {

Grouping knapsack_grouping(const MonthProblem& problem) {
  const Knapsack knapsack(problem.sizes, problem.for_groups(), problem.scenarios);
  return with_rest(problem, knapsack.groups(problem.scenarios));
}

}  // namespace dovetail
