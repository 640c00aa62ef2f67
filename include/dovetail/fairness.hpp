// How the workflows of a plan share the cluster: how much each is stretched, and which workflow
// delays which.
//
//   const Fairness fairness = measure_fairness(problem, plan);
//   double worst = fairness.maximum_stretch;
#pragma once

#include <span>
#include <vector>

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"

namespace dovetail {

// How long a workflow waits while another one holds processors.
struct Delay {
  std::size_t by = 0;  // position in Problem::workflows()
  Duration length = 0;
  friend bool operator==(const Delay&, const Delay&) = default;
};

struct Fate {
  Duration length = 0;             // from ready to its last end
  Duration alone = 0;              // the same on an otherwise empty cluster: Plan::alone
  double stretch = 1;              // length over alone
  double weighted_stretch = 1;     // times the weight, scaled so that the greatest weight is 1
  std::vector<Delay> delays = {};  // the longest first
  Duration reserved = 0;           // time it waits for other users' reservations
};

struct Fairness {
  std::vector<Fate> workflows = {};
  double average_stretch = 1;  // sum of lengths over sum of alone
  double maximum_stretch = 1;
  double weighted_stretch = 1;  // the greatest one; plans are compared by it
};

// Whether weights differ between workflows, so that stretch and weighted stretch differ.
bool differ_in_weight(const Problem& problem);

// Needs an entry in plan.alone for every workflow.
//
// How delays are found: starting from the last task of a workflow, follow it back to the task it
// had to wait for, and so on. The time between when a task could have begun and its start is
// divided among the holders of processors in that time, by how many and how long: the workflow
// itself, which is not counted, other workflows, and reservations.
Fairness measure_fairness(const Problem& problem, const Plan& plan);

// The position of the best plan for the goal fair. Plans are compared by feasibility, then by the
// weighted stretch of the workflow that is worst off, then by end, then by average stretch, each to
// one part in a hundred. The last plan wins ties, since MAGS, which gives a guarantee, is last in
// the table of planners. Needs at least one plan, and plan.alone of each feasible one.
std::size_t fairest_plan(const Problem& problem, std::span<const Plan> plans);

}  // namespace dovetail
