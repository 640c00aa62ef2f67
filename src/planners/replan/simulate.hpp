// Simulates a plan under events: planned, run in simulated time, planned again.
//
//   const Simulation result = simulate(problem, events);
//   makespan(result.after) - makespan(result.before);
#pragma once

#include <span>
#include <vector>

#include "dovetail/event.hpp"
#include "dovetail/planner.hpp"
#include "planners/replan/event_loop.hpp"

namespace dovetail::planning {

struct SimulateOptions {
  const PlannerInfo* planner = nullptr;  // null: the best for the goal
  PlannerOptions planning = {};
  // By how much a task or resource may slow down or speed up before the rest is planned again.
  double band = 0.2;
  // The gain required of a new plan that moves all tasks; see ClusterWorldOptions. For a cluster
  // only.
  double stability = kStability;
};

struct Simulation {
  Plan before;  // infeasible if there was no plan at the start
  Plan after;   // the executed plan with its history; infeasible if it cannot be finished
  std::vector<Placement> lost = {};  // runs that were cut short and restarted later
  Platform platform;                 // as it turned out
};

// The CPU-hours executed, including lost runs.
double cpu_hours(const Simulation& simulation);

// The same problem with processors in place of nodes, if no task needs anything else: events are
// followed by processors alone.
Problem by_processors(const Problem& problem);

// Why the problem cannot be simulated; empty when it can.
std::string simulate_unfit(const Problem& problem, const SimulateOptions& options = {});

// Needs simulate_unfit to be empty, and events sorted by time, of kinds that the platform supports:
// those of a cluster when it has one cluster, else those of a pool of resources. A plan that misses
// its deadline because of events is still executed.
Simulation simulate(const Problem& problem, std::span<const Event> events,
                    const SimulateOptions& options = {});

}  // namespace dovetail::planning
