#include "federation/daemon/estimate.hpp"

#include "planners/ensemble/performance_vector.hpp"

namespace dovetail::federation {

MonthEstimate estimate_months(const EnsembleSite& site, const EnsembleRules& rules, Count active,
                              Count scenarios, Count months) {
  MonthEstimate estimate;
  const MonthProblem problem = month_problem(site, rules, active + scenarios, months);
  if (!problem.has_room()) {
    estimate.makespans.assign(static_cast<std::size_t>(scenarios), kNeverSeconds);
    estimate.groups.resize(static_cast<std::size_t>(scenarios));
    return estimate;
  }
  const GroupingInfo& heuristic = *find_grouping("best");
  PerformanceVector vector = month_performance(problem, heuristic, Dispatch::rotate);
  for (Count k = 1; k <= scenarios; ++k) {
    const Duration makespan = vector.at(active + k);
    estimate.makespans.push_back(makespan >= kForever ? kNeverSeconds : to_seconds(makespan));
    MonthProblem part = problem;
    part.scenarios = vector.planned_for(active + k);
    estimate.groups.push_back(heuristic.make(part, Dispatch::rotate).groups);
  }
  estimate.at_no_cost = std::max<Count>(0, scenarios_at_no_cost(problem) - active);
  return estimate;
}

}  // namespace dovetail::federation
