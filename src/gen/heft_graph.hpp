// Workflows on heterogeneous resources, as drawn by Topcuoglu, Hariri and Wu (2002) and later by Yu
// and Shi (2007): random graphs in levels, BLAST and WIEN2K, and pools of resources that grow.
//
//   Random random(1);
//   PoolFlow flow = heft_graph({.tasks = 40, .out_degree = 0.2}, {.ccr = 5}, random);
//   Platform platform = to_platform({.resources = 10}, time_floor(4000));
//   Workflow workflow = to_workflow(flow, platform.clusters().size(), "flow");
//
// A PoolFlow has costs for any number of resources; those on the first ones do not depend on how
// many there are. All functions throw InputError for a spec out of range.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.hpp"
#include "dovetail/platform.hpp"
#include "dovetail/workflow.hpp"

namespace dovetail::gen {

struct PoolCosts {
  double mean_seconds = 100;  // w: an operation's mean cost is uniform from 0 to twice this
  double ccr = 1;             // a transfer's time is uniform from 0 to 2 w ccr
  double beta =
      0.5;  // on a resource, the mean times a number uniform from 1 - beta/2 to 1 + beta/2
};

struct PoolFlow {
  struct Edge {
    TaskId from = 0;
    TaskId to = 0;
    Duration transfer = 0;  // between different resources
  };

  std::size_t size() const { return operation.size(); }

  // By operation, the time of its tasks on this resource; at least a millisecond.
  std::vector<Duration> costs_on(std::uint32_t resource) const;

  std::vector<std::uint32_t> operation;  // by task: tasks of one operation cost the same
  std::vector<double> mean_seconds;      // by operation
  std::vector<Edge> edges;               // by target; an edge leads to a later task
  std::vector<std::string_view> names;   // by operation; empty if every task is an operation
  double beta = 0;
  Random cost_source;  // one stream per resource
};

struct HeftGraphSpec {
  std::uint32_t tasks = 40;
  double out_degree = 0.2;  // a task has up to this share of all tasks as children
  double shape = 1;         // level widths are uniform from 1 to 2 shape sqrt(tasks) - 1
};

// Every task below the first level has a parent in the level above; each then draws its number of
// children, 1 .. ceil(out_degree tasks), and gets the missing ones from all later levels. Every
// task and every edge draws its own cost.
PoolFlow heft_graph(const HeftGraphSpec& spec, const PoolCosts& costs, Random& random);

// The graphs of wide_apps.hpp. Tasks of one operation cost the same, and so do transfers from them.
PoolFlow blast_for_pool(std::uint32_t ways, const PoolCosts& costs, Random& random);
PoolFlow wien2k_for_pool(std::uint32_t ways, const PoolCosts& costs, Random& random);

// The resources at the start, and a share of that number that joins in every interval.
struct PoolSpec {
  std::uint32_t resources = 10;   // R
  double interval_seconds = 400;  // Delta
  double share = 0.2;             // delta
};

// How many resources join at once: the share, rounded to the nearest, halves to even; at least one.
std::uint32_t joining_at_once(const PoolSpec& spec);

// By resource, when it joins (0: at the start), for all that join before `until`.
std::vector<Time> join_times(const PoolSpec& spec, Time until);

// Tasks "t0", "t1", ... or those of wide_apps.hpp, with times on "r1", "r2", ...
Workflow to_workflow(const PoolFlow& flow, std::size_t resources, std::string name);

// Clusters "r1", "r2", ... of one processor.
Platform to_platform(const PoolSpec& spec, Time until);

}  // namespace dovetail::gen
