// Equal groups by the formulas. Source: Caniou et al. 2009, section 4.1.
//
// Every allowed size is tried with as many groups as fit, at most one per scenario; the shortest
// formula wins, the smaller size on a tie. Costs a few operations per size.
#include <algorithm>
#include <limits>

#include "planners/ensemble/grouping.hpp"
#include "planners/ensemble/month_formula.hpp"

namespace dovetail {

Grouping basic_grouping(const MonthProblem& problem) {
  const Count processors = problem.for_groups();
  Duration shortest = std::numeric_limits<Duration>::max();
  std::vector<Count> groups;
  for (const GroupTime& size : problem.sizes) {
    if (size.procs > processors) break;
    const Count most = std::min(problem.scenarios, processors / size.procs);
    const Duration makespan = equal_groups_makespan(problem, processors, size, most);
    if (makespan >= shortest) continue;
    shortest = makespan;
    groups.assign(static_cast<std::size_t>(most), size.procs);
  }
  return with_rest(problem, std::move(groups));
}

}  // namespace dovetail
