// HEFT (Topcuoglu, Hariri and Wu 2002): takes tasks in order of their distance from the exit and
// places each where it ends first. Also does so for the rest of a running workflow, as AHEFT needs
// it (Yu and Shi 2007).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "planners/pool/heterogeneous.hpp"

namespace dovetail::planning {

// How a task's cost enters its distance from the exit.
enum class RankRule { mean, max, min, median };

// When the output of an ended task arrives at a resource on which the task did not run.
enum class TransferModel {
  inflight,  // when it arrives, if a plan in force had it sent there; else one transfer from now
  literal,   // one transfer from now, ignoring transfers under way
  multicast  // one transfer after the task's end, everywhere
};

enum class SlotRule { insertion, append };

struct HeftOptions {
  RankRule rank = RankRule::mean;
  TransferModel transfer = TransferModel::inflight;
  SlotRule slots = SlotRule::insertion;
};

struct Assignment {
  ResourceId resource = 0;
  Time start = 0;
  Time end = 0;
  friend bool operator==(const Assignment&, const Assignment&) = default;
};

// Where and when every task runs, and the last end.
struct Schedule {
  std::vector<Assignment> tasks;
  Time end = 0;
};

enum class TaskProgress : std::uint8_t { waiting, running, finished };

// Everything that a plan for the rest depends on.
struct Situation {
  struct Delivery {
    ResourceId resource = 0;
    Time arrival = 0;
  };

  Situation(const CostGraph& graph, Time now);

  // The current cost of the task on the resource.
  Duration cost(const CostGraph& graph, TaskId task, ResourceId resource) const {
    const Duration given = graph.cost(task, resource);
    const double factor = slowness[resource] * (lateness.empty() ? 1.0 : lateness[task]);
    return factor == 1.0 || given == kForever ? given : run_time(to_seconds(given) * factor);
  }

  Time clock = 0;
  std::vector<ResourceId> pool = {};   // in order of joining
  std::vector<double> slowness;        // by resource: 2 takes twice as long
  std::vector<Time> leaves;            // by resource: nothing may end later
  std::vector<double> lateness = {};   // by task, the same; empty: as given
  std::vector<TaskProgress> progress;  // by task
  std::vector<Assignment> placed;      // by task: of those that have started
  // By edge, where its file was sent and when it arrives. Empty until a task has ended.
  std::vector<std::vector<Delivery>> sent = {};
};

// A plan for the waiting tasks; the others keep their places. Nothing when a task can end nowhere.
std::optional<Schedule> plan_rest(const CostGraph& graph, const Situation& situation,
                                  const HeftOptions& options);

// By task: the distance from the exit in units of 1 / (2 |pool|) milliseconds, for waiting tasks.
std::vector<double> ranks(const CostGraph& graph, const Situation& situation, RankRule rule);

// The same with given ranks, ignoring the rule in the options.
std::optional<Schedule> plan_rest(const CostGraph& graph, const Situation& situation,
                                  const HeftOptions& options, std::span<const double> ranks);

}  // namespace dovetail::planning
