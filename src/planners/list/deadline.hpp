// Planning backwards from a deadline around advance reservations: the family DL_x.
//
// Source: Aida and Casanova, Scheduling Mixed-Parallel Applications with Advance Reservations
// (problem RESSCHEDDL). Idea: take the tasks in the reverse of the turn-around order; each must end
// by the start of its successors. Aggressive planning (DL_BD) gives it the latest possible start.
// Conservative planning (DL_RC) gives it the fewest processors with which it need not start before
// its guide, the start that a CPA schedule on an empty cluster gives it (section 5.3), and is
// aggressive if there are none. The hybrids move the guide
// towards the end by a share lambda = 0, 0.05 ... 1 until the deadline is met.
// Cost: one or two calendar sweeps per task and pass; a pass begins where its choices first differ
// from those of the pass before.
// Ties: equal start to fewer processors.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "dovetail/planner.hpp"
#include "planners/list/one_cluster.hpp"

namespace dovetail::planning {

enum class Guide { none, cpa, cpar };

struct DeadlineRule {
  Guide guide;
  Bound fallback;              // limits the processors of aggressive choices
  bool search_lambda = false;  // else lambda is 0
};

// Plans one problem with any of the rules, at any deadline; common results are computed once. Not
// safe to share between threads. Needs single_cluster_unfit(problem) to be empty.
class DeadlinePlanner {
 public:
  explicit DeadlinePlanner(PlanningContext& context);

  // `name` goes into Plan::algorithm.
  Plan plan(const DeadlineRule& rule, Time deadline, std::string_view name = {});

  // The same with a given lambda, in twentieths.
  Plan plan_at(const DeadlineRule& rule, Time deadline, int twentieths);

 private:
  // With the first lambda from first..last that meets the deadline.
  Plan first_that_meets(const DeadlineRule& rule, Time deadline, std::pair<int, int> twentieths,
                        std::string_view name);
  Bound fallback(const DeadlineRule& rule) const;
  const std::vector<Time>& guide(Guide which);

  OneCluster& cluster_;
  std::vector<TaskId> order_;
  std::vector<Time> earliest_;  // the earliest start of each task in any plan
  std::array<std::optional<std::vector<Time>>, 2> guides_;
};

}  // namespace dovetail::planning
