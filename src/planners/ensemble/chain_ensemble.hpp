// An ensemble of repeated workflows over clusters with reservations and windows: groups, scenarios
// per cluster, and a plan of every task.
//
//   const ChainEnsemble ensemble{.platform = platform, .units = {unit}, .windows = {{}},
//                                .scenarios = 4, .months = 12};
//   const auto plan = plan_chain_ensemble(ensemble, {});
//   check(plan->problem, plan->plan);
//
// Groups are chosen as for main and post tasks. Where others hold a part of the cluster for a time,
// `best` also tries the groupings of the numbers of processors that are free most of the time, and
// all candidates are planned on the calendar, not simulated.
#pragma once

#include <optional>
#include <vector>

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"
#include "planners/ensemble/chain_plan.hpp"
#include "planners/ensemble/ensemble_plan.hpp"
#include "planners/ensemble/repeated_unit.hpp"

namespace dovetail::planning {

struct ChainEnsemble {
  Platform platform;
  std::vector<RepeatedUnit> units = {};  // by cluster; one: the same on all
  std::vector<Windows> windows = {};     // by cluster
  Count scenarios = 1;
  Count months = 1;
  bool node_multiples = false;
  Count post_processors = 0;  // that groups leave alone
  bool post_node = false;
};

struct ChainEnsemblePlan {
  EnsemblePlan summary;
  Problem problem;  // the scenarios as workflows, on the clusters within their windows
  Plan plan;
  std::vector<std::vector<MonthRun>> runs;   // by cluster: the chain parts
  std::vector<std::vector<Slot>> off_chain;  // and the other tasks
};

// Nothing when there is no room for all months, however long one waits; then the number of the
// cluster that has none is put into `full_cluster`. Dispatch::ideal makes no plans.
std::optional<ChainEnsemblePlan> plan_chain_ensemble(const ChainEnsemble& ensemble,
                                                     const EnsembleChoices& choices,
                                                     std::size_t* full_cluster = nullptr);

// A month of main and post tasks as a workflow, for clusters on which it must be planned on the
// calendar.
RepeatedUnit month_unit(const std::vector<GroupTime>& sizes, Duration post, Count posts);

}  // namespace dovetail::planning
