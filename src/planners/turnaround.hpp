// Turn-around planning around advance reservations: the family BL_x_BD_y.
//
// Source: Aida and Casanova, Scheduling Mixed-Parallel Applications with Advance Reservations
// (problem RESSCHED). Idea: rank the tasks by bottom level; give each, in that order, the slot in
// which it ends earliest, on at most so many processors. BL says with which allocation bottom
// levels are computed, BD what bounds the processors.
// Cost: two CPA allocations, then one calendar sweep per task.
// Ties: equal bottom level to the lower task number, equal end to fewer processors.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "dovetail/planner.hpp"
#include "planners/cluster_view.hpp"

namespace dovetail {

enum class BottomLevel { one, all, cpa, cpar };
enum class Bound { all, half, cpa, cpar };

// Plans one problem with any of the sixteen combinations; what they have in common is computed
// once. Not safe to share between threads. Needs single_cluster_unfit(problem) to be empty.
class TurnaroundPlanner {
 public:
  explicit TurnaroundPlanner(const Problem& problem, const PlannerOptions& options = {});

  // `name` goes into Plan::algorithm.
  Plan plan(BottomLevel bottom_level, Bound bound, std::string_view name = {});

  // The CPA planner: both phases of CPA, the second one around the reservations.
  Plan plan_cpa(std::string_view name = {});

 private:
  using Allocation = std::vector<Count>;

  const Allocation& cpa_for(Count procs, std::optional<Allocation>& cached);
  const Allocation& cpa() { return cpa_for(view_.processors(), cpa_); }
  const Allocation& cpar() { return cpa_for(historical_procs_, cpar_); }
  Allocation clipped(Count procs) const;
  const Allocation& level_allocation(BottomLevel bottom_level);
  const Allocation& bounds(Bound bound);
  const std::vector<TaskId>& order(BottomLevel bottom_level);

  const Problem& problem_;
  PlannerOptions options_;
  ClusterView view_;
  Count historical_procs_;
  std::optional<Allocation> cpa_, cpar_, one_, all_, half_;
  std::array<std::optional<std::vector<TaskId>>, 4> orders_;
};

}  // namespace dovetail
