// An ensemble of repeated workflows on the calendar of one cluster.
//
// Groups compute months as everywhere in ensembles (month_dispatch.hpp), but each month is booked
// on the calendar: a group whose month does not fit now, because others have reserved processors or
// the window ends too soon, sleeps until it fits and goes on where it stopped. Scenarios do not
// sleep with it. Then off-chain tasks fill the holes, in the order in which their months ended.
//
// Ties are broken as by the dispatcher; off-chain tasks by the end of their month, scenario, and
// topological order. A month costs a few questions to the calendar.
#pragma once

#include <optional>
#include <vector>

#include "dovetail/calendar.hpp"
#include "dovetail/plan.hpp"
#include "planners/ensemble/grouping.hpp"
#include "planners/ensemble/month_simulation.hpp"
#include "planners/ensemble/repeated_unit.hpp"

namespace dovetail::planning {

struct ChainProblem {
  const RepeatedUnit& unit;
  const UnitOnCluster& there;
  const Calendar& calendar;
  Time now = 0;
  Count scenarios = 1;
  Count months = 1;
};

struct ChainPlan {
  Duration makespan = 0;
  // By scenario, then by task of RepeatedUnit::repeated(); cluster 0, workflow: the scenario.
  std::vector<Placement> placements = {};
  std::vector<MonthRun> runs = {};   // the chain part of every month, by start
  std::vector<Slot> off_chain = {};  // all other tasks
};

// Nothing when the calendar never has room for all months. Needs groups of sizes with a layout.
std::optional<ChainPlan> plan_chains(const ChainProblem& problem, const Grouping& grouping,
                                     Dispatch dispatch);

}  // namespace dovetail::planning
