// What becomes of a plan while things happen: planned, run in simulated time, planned again.
//
//   const Simulation result = simulate(problem, events);
//   makespan(result.after) - makespan(result.before);
#pragma once

#include <span>
#include <vector>

#include "dovetail/event.hpp"
#include "dovetail/planner.hpp"
#include "planners/replan/event_loop.hpp"

namespace dovetail {

struct SimulateOptions {
  const PlannerInfo* planner = nullptr;  // null: the best for the goal
  PlannerOptions planning = {};
  // By how much a task or resource may become slower or faster before the rest is planned again.
  double band = 0.2;
  // What a new plan that moves all tasks has to gain; see ClusterWorldOptions. Of a cluster.
  double stability = kStability;
};

struct Simulation {
  Plan before;  // infeasible when nothing could be planned at the start
  Plan after;   // what is executed, with its history; infeasible when it cannot be finished
  std::vector<Placement> lost = {};  // runs that were cut short, and begun again later
  Platform platform;                 // as it turned out
};

// Of what is executed, with the runs that were lost.
double cpu_hours(const Simulation& simulation);

// Why the problem cannot be simulated; empty when it can.
std::string simulate_unfit(const Problem& problem, const SimulateOptions& options = {});

// The events in order of time, of kinds that the platform knows: those of a cluster when it has one
// cluster, else those of a pool of resources. Needs simulate_unfit to be empty. A plan that misses
// its deadline because of what happens is executed all the same.
Simulation simulate(const Problem& problem, std::span<const Event> events,
                    const SimulateOptions& options = {});

}  // namespace dovetail
