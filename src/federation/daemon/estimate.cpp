#include "federation/daemon/estimate.hpp"

#include "planners/ensemble/performance_vector.hpp"

namespace dovetail::federation {

MonthEstimate estimate_months(const EnsembleSite& site, const EnsembleRules& rules, Count active,
                              Count scenarios, Count months) {
  MonthEstimate estimate;
  const planning::MonthProblem problem =
      planning::month_problem(site, rules, active + scenarios, months);
  if (!problem.has_room()) {
    estimate.makespans.assign(static_cast<std::size_t>(scenarios), kNeverSeconds);
    estimate.groups.resize(static_cast<std::size_t>(scenarios));
    return estimate;
  }
  const planning::GroupingInfo& heuristic = *planning::find_grouping("best");
  planning::PerformanceVector vector =
      planning::month_performance(problem, heuristic, planning::Dispatch::rotate);
  for (Count k = 1; k <= scenarios; ++k) {
    const Duration makespan = vector.at(active + k);
    estimate.makespans.push_back(makespan >= kForever ? kNeverSeconds : to_seconds(makespan));
    planning::MonthProblem part = problem;
    part.scenarios = vector.planned_for(active + k);
    estimate.groups.push_back(heuristic.make(part, planning::Dispatch::rotate).groups);
  }
  estimate.at_no_cost = std::max<Count>(0, planning::scenarios_at_no_cost(problem) - active);
  return estimate;
}

double seconds_of_load(const EnsembleSite& site, const EnsembleRules& rules, Count scenarios,
                       Count months) {
  constexpr std::int64_t kMonthsOfLoad = 200'000;
  const planning::MonthProblem whole = planning::month_problem(site, rules, scenarios, months);
  if (!whole.has_room()) return kNeverSeconds;
  const planning::MonthProblem part = planning::shortened(whole, kMonthsOfLoad);
  // One more than all but one: of all the answers the last is needed.
  const double seconds =
      estimate_months(site, rules, part.scenarios - 1, 1, part.months).makespans.back();
  return seconds * static_cast<double>(whole.all_months()) / static_cast<double>(part.all_months());
}

}  // namespace dovetail::federation
