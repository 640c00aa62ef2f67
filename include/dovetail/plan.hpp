// A plan: the cluster, start, end and processors of every task.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dovetail/certificate.hpp"
#include "dovetail/time.hpp"
#include "dovetail/workflow.hpp"

namespace dovetail {

struct Placement {
  std::uint32_t workflow = 0;  // position in Problem::workflows()
  TaskId task = 0;
  std::uint32_t cluster = 0;  // position in Platform::clusters()
  Count procs = 0;
  Time start = 0;
  Time end = 0;
  friend bool operator==(const Placement&, const Placement&) = default;
};

// One decision while the workflows run: keep the current plan or take a new one.
struct Evaluation {
  Time time = 0;
  std::string event = {};              // "start", "join r4, leave r2"
  std::optional<Time> candidate = {};  // end of the new plan; nothing: no new plan
  std::optional<Time> current = {};    // end of the old plan if kept; nothing: it no longer fits
  bool adopted = false;
  // The number of tasks to which the new plan gives other processors or another place in the order;
  // nothing: one of the two plans is missing, or the tasks were not counted.
  std::optional<std::size_t> moved = {};
  friend bool operator==(const Evaluation&, const Evaluation&) = default;
};

// The cluster of each task in the plan that came into force at this time.
struct PlanVersion {
  Time time = 0;
  std::vector<std::uint32_t> clusters = {};  // by workflow, then by task
  friend bool operator==(const PlanVersion&, const PlanVersion&) = default;
};

// How a plan divides a cluster among workflows, where it does so by periods.
struct Division {
  double slack = 1;                // factor by which the bound grew until all tasks fitted
  double bound = 1;                // the least common stretch if tasks were fluid (S*)
  std::vector<Time> periods = {};  // the end of each; the first begins when a workflow is ready
  friend bool operator==(const Division&, const Division&) = default;
};

// How a search found a plan, and how much better a plan could be at most.
struct SearchRecord {
  std::uint64_t seed = 1;
  std::uint64_t trials = 0;   // plans tried
  bool is_truncated = false;  // stopped by a time limit: another run may find another plan
  // Bounds the end or, for a deadline plan, the CPU time. Nothing: no bound is known, as for fair
  // plans.
  std::optional<Certificate> certificate = {};
  friend bool operator==(const SearchRecord&, const SearchRecord&) = default;
};

struct Plan {
  std::string algorithm = {};
  Time now = 0;
  std::optional<Time> deadline = {};
  bool feasible = true;                    // false: no plan was found, no placements
  std::vector<Placement> placements = {};  // by workflow, then by task
  // On a cluster with nodes: the nodes of each placement, numbered by type in the order of the
  // cluster's types. What it takes of each says demand_of (nodes.hpp). Otherwise empty.
  std::vector<std::vector<std::uint32_t>> nodes = {};
  // With several workflows: how long each takes, from when it is ready, if the same planner plans
  // it alone. For the goal fair this is set for a single workflow too, and all planners use the
  // same allocation. Otherwise empty.
  std::vector<Duration> alone = {};
  // If the planner chose one: the share by which it moved its guide towards the end.
  std::optional<double> lambda = {};
  std::optional<Division> division = {};
  std::optional<SearchRecord> search = {};
  // For a plan that changed while resources came and went: the decisions that led to it.
  std::vector<Evaluation> history = {};
  std::vector<PlanVersion> versions = {};
  friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace dovetail
