#include "planners/ensemble/ensemble_plan.hpp"

#include <algorithm>

#include "planners/ensemble/month_formula.hpp"
#include "planners/ensemble/month_simulation.hpp"

namespace dovetail::planning {

namespace {

void plan_site(const MonthProblem& problem, const EnsembleChoices& choices, SitePlan& plan) {
  plan.grouping = choices.heuristic->make(problem, choices.dispatch);
  plan.formula = formula_makespan(problem, plan.grouping);
  const MonthResult result = simulate_months(problem, plan.grouping, choices.dispatch);
  plan.makespan = result.is_stuck ? kForever : result.makespan;
  plan.flushes = result.flushes;
}

}  // namespace

std::vector<PerformanceVector> performance_of(const Ensemble& ensemble,
                                              const EnsembleChoices& choices) {
  std::vector<PerformanceVector> vectors;
  for (const EnsembleSite& site : ensemble.sites) {
    vectors.push_back(
        month_performance(month_problem(site, ensemble.rules, ensemble.scenarios, ensemble.months),
                          *choices.heuristic, choices.dispatch));
  }
  return vectors;
}

Repartition divide_scenarios(std::span<PerformanceVector> sites, Count scenarios,
                             const EnsembleChoices& choices, EnsemblePlan& plan) {
  // A single cluster gets all, so how long fewer would take does not matter.
  Repartition repartition = sites.size() == 1 ? Repartition(static_cast<std::size_t>(scenarios), 0)
                                              : choices.repartition->make(sites, scenarios);
  plan.sites.resize(sites.size());
  for (std::uint32_t s = 0; s < repartition.size(); ++s) {
    plan.sites[repartition[s]].scenarios.push_back(s);
  }
  return repartition;
}

EnsemblePlan plan_ensemble(const Ensemble& ensemble, const EnsembleChoices& choices) {
  EnsemblePlan plan;
  auto vectors = performance_of(ensemble, choices);
  divide_scenarios(vectors, ensemble.scenarios, choices, plan);
  for (std::size_t c = 0; c < plan.sites.size(); ++c) {
    SitePlan& site = plan.sites[c];
    MonthProblem problem =
        month_problem(ensemble.sites[c], ensemble.rules, ensemble.scenarios, ensemble.months);
    site.name = ensemble.sites[c].name;
    site.at_no_cost = scenarios_at_no_cost(problem);
    site.grouping.post_processors = problem.processors;
    if (site.scenarios.empty()) continue;
    site.makespan = kForever;
    if (problem.has_room()) {
      site.planned_for = vectors[c].planned_for(static_cast<Count>(site.scenarios.size()));
      problem.scenarios = site.planned_for;
      plan_site(problem, choices, site);
    }
    plan.makespan = std::max(plan.makespan, site.makespan);
  }
  return plan;
}

}  // namespace dovetail::planning
