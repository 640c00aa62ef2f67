// A plan: for every task the cluster, the start, the end and the processors.
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

// One decision about the plan in force while its workflows run: keep it, or take a new one.
struct Evaluation {
  Time time = 0;
  std::string event = {};              // "start", "join r4, leave r2"
  std::optional<Time> candidate = {};  // end of the new plan; nothing: there is none
  std::optional<Time> current = {};    // end of the old plan as it goes on; nothing: it cannot
  bool adopted = false;
  // Tasks to which the new plan gives other processors or another place in the order; nothing:
  // one of the two plans is missing, or none were counted.
  std::optional<std::size_t> moved = {};
  friend bool operator==(const Evaluation&, const Evaluation&) = default;
};

// Where each task was to run by the plan that came into force at this time.
struct PlanVersion {
  Time time = 0;
  std::vector<std::uint32_t> clusters = {};  // by workflow, then by task
  friend bool operator==(const PlanVersion&, const PlanVersion&) = default;
};

// How a plan divides a cluster among workflows, where it does so by periods.
struct Division {
  double slack = 1;                // by how much the bound was loosened until all tasks fitted
  double bound = 1;                // the least stretch that all could have if they were fluid (S*)
  std::vector<Time> periods = {};  // the end of each; the first begins when a workflow is ready
  friend bool operator==(const Division&, const Division&) = default;
};

// How a plan by search came about, and how much better one could be at most.
struct SearchRecord {
  std::uint64_t seed = 1;
  std::uint64_t trials = 0;   // that were made
  bool is_truncated = false;  // by a time limit: another run may find another plan
  // On the end; of a plan for a deadline on the CPU time. Nothing: no bound is known, as of fair
  // plans.
  std::optional<Certificate> certificate = {};
  friend bool operator==(const SearchRecord&, const SearchRecord&) = default;
};

struct Plan {
  std::string algorithm = {};
  Time now = 0;
  std::optional<Time> deadline = {};
  bool feasible = true;                    // false: no plan was found, and there are no placements
  std::vector<Placement> placements = {};  // by workflow, then by task
  // Of several workflows: how long each takes, from when it is ready, if the same planner has it
  // alone; for the goal fair of one as well, by the same allocation for all planners. Else empty.
  std::vector<Duration> alone = {};
  // Where the planner searched one: the share by which it moved its guide towards the end.
  std::optional<double> lambda = {};
  std::optional<Division> division = {};
  std::optional<SearchRecord> search = {};
  // Where the plan is what is executed while resources come and go: how it came about.
  std::vector<Evaluation> history = {};
  std::vector<PlanVersion> versions = {};
  friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace dovetail
