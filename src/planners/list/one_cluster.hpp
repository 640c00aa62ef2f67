// Results that the planners for one cluster share: allocations, bounds and orders, each computed
// once, when first needed.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "dovetail/planner.hpp"
#include "planners/list/cluster_view.hpp"
#include "planners/list/earliest_slot.hpp"

namespace dovetail::planning {

// The allocation for computing bottom levels: one processor, the whole cluster, CPA for the
// cluster, or CPA for what is usually free.
enum class BottomLevel { one, all, cpa, cpar };

// The limit on the processors of a task: the cluster, half of it, or CPA's allocations.
enum class Bound { all, half, cpa, cpar };

// Not safe to share between threads. Needs single_cluster_unfit(problem) to be empty.
class OneCluster {
 public:
  using TaskProcs = std::vector<Count>;

  explicit OneCluster(PlanningContext& context);

  const PlannerOptions& options() const { return options_; }
  const ClusterView& view() const { return view_; }
  Time now() const { return problem_.now(); }
  const Calendar& calendar() const { return problem_.platform().calendar(0); }

  // The number of processors that CPA plans for: all, or those usually free.
  Count processors() const { return view_.processors(); }
  Count historical_procs() const { return historical_procs_; }

  const TaskProcs& bounds(Bound bound);
  const std::vector<TaskId>& order(BottomLevel bottom_level);

  // The longest path with every task on as many processors as it may use: a lower bound on every
  // makespan.
  Duration shortest_makespan();

  // All tasks one after the other after the last reservation and release: enough time for every
  // planner, unless the cluster leaves earlier.
  Duration ample_makespan() const;

  // `name` goes into Plan::algorithm. Without slots the plan is infeasible.
  Plan to_plan(std::string_view name, const std::optional<std::vector<Slot>>& slots) const;

 private:
  TaskProcs clipped(Count procs) const;
  TaskProcs level_allocation(BottomLevel bottom_level);
  TaskProcs find_bounds(Bound bound) const;

  const Problem& problem_;
  PlannerOptions options_;
  ClusterView view_;
  Count historical_procs_;
  std::array<std::optional<TaskProcs>, 4> bounds_;
  std::array<std::optional<std::vector<TaskId>>, 4> orders_;
};

}  // namespace dovetail::planning
