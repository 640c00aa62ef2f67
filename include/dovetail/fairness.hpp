// How the workflows of a plan fare beside each other: by how much each is stretched, and which
// keeps which waiting.
//
//   const Fairness fairness = measure_fairness(problem, plan);
//   double worst = fairness.maximum_stretch;
#pragma once

#include <span>
#include <vector>

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"

namespace dovetail {

// So long waits a workflow while another one holds processors.
struct Delay {
  std::size_t by = 0;  // position in Problem::workflows()
  Duration length = 0;
  friend bool operator==(const Delay&, const Delay&) = default;
};

struct Fate {
  Duration length = 0;             // from when the workflow is ready to its last end
  Duration alone = 0;              // the same if it had the cluster to itself: Plan::alone
  double stretch = 1;              // the former over the latter
  double weighted_stretch = 1;     // times the weight, where the greatest weight counts as 1
  std::vector<Delay> delays = {};  // the longest first
  Duration reserved = 0;           // how long it waits for other people's reservations
};

struct Fairness {
  std::vector<Fate> workflows = {};
  double average_stretch = 1;  // the sum of lengths over the sum of those alone
  double maximum_stretch = 1;
  double weighted_stretch = 1;  // the greatest weighted one: what plans are judged by
};

// Whether some workflow counts more than another, so that stretch and weighted stretch differ.
bool differ_in_weight(const Problem& problem);

// Needs plan.alone to have every workflow.
//
// What delays a workflow: from its last task one goes back to the task that it had to wait
// for, and so on. What lies between the moment at which a task could have begun and its start is
// divided among what holds processors meanwhile, by how many and how long: the workflow itself,
// which does not count, other workflows, and reservations.
Fairness measure_fairness(const Problem& problem, const Plan& plan);

// The position of the plan for the goal fair: feasible, then least weighted stretch of the workflow
// that is worst off, then earliest end, then least average stretch, each to one in a hundred, then
// the last, since MAGS, which promises something, stands last in the table of planners. Needs at
// least one plan, and plan.alone of each that is feasible.
std::size_t fairest_plan(const Problem& problem, std::span<const Plan> plans);

}  // namespace dovetail
