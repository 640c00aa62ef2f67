// An ensemble over one or several clusters: scenarios, groups and makespan of each.
//
//   const EnsemblePlan plan = plan_ensemble(ensemble, {.dispatch = Dispatch::fair});
//   plan.makespan;   // kForever: there is none
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planners/ensemble/grouping.hpp"
#include "planners/ensemble/repartition.hpp"

namespace dovetail::planning {

struct EnsembleChoices {
  const GroupingInfo* heuristic = find_grouping("best");
  Dispatch dispatch = Dispatch::rotate;
  const RepartitionInfo* repartition = find_repartition("greedy");
};

// What one cluster does.
struct SitePlan {
  std::string name = {};
  std::vector<std::uint32_t> scenarios = {};  // their numbers, from 0
  Count planned_for = 0;  // scenarios; more than there are where that takes less time
  Grouping grouping = {};
  Duration formula = 0;  // kForever: there is none, on a calendar
  Duration makespan = 0;
  Count flushes = 0;
  std::optional<Count> at_no_cost = {};  // scenarios at the price of one, where that is known
};

struct EnsemblePlan {
  Duration makespan = 0;
  std::vector<SitePlan> sites = {};  // in the ensemble's order
};

// Needs a checked ensemble. Sites on which no group fits get no scenario.
EnsemblePlan plan_ensemble(const Ensemble& ensemble, const EnsembleChoices& choices = {});

// Divides the scenarios among the sites, whose lists in the plan receive their numbers.
Repartition divide_scenarios(std::span<PerformanceVector> sites, Count scenarios,
                             const EnsembleChoices& choices, EnsemblePlan& plan);

// The vectors of all sites.
std::vector<PerformanceVector> performance_of(const Ensemble& ensemble,
                                              const EnsembleChoices& choices);

}  // namespace dovetail::planning
