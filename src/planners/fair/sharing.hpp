// Several workflows that share one cluster: the starting point of the planners for the goal fair.
// Holds for each workflow what it would get if it had the cluster to itself.
//
// Source: Casanova, Desprez and Suter, Minimizing Stretch and Makespan of Multiple Parallel Task
// Graphs via Malleable Allocations (2010). On an empty cluster everything is as in the paper.
//
//   Sharing& sharing = context.shared<Sharing>();
//   Plan plan = sharing.to_plan("SELFISH", slots);
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "dovetail/planner.hpp"
#include "planners/list/cluster_view.hpp"
#include "planners/list/slot.hpp"

namespace dovetail::planning {

// The slot of every task: by workflow, then by task.
using SharedSlots = std::vector<std::vector<Slot>>;

// One of the workflows.
struct Member {
  ClusterView view;                    // of this workflow alone
  std::vector<Count> allocation = {};  // CPA's for the whole cluster
  std::vector<Duration> levels = {};   // bottom levels with it
  Count needs = 1;                     // processors that its widest task needs at least
  Time ready = 0;                      // when it may begin
  // C*: its time from then on without other workflows, with its allocation.
  Duration alone = 0;
  // The same over its weight, scaled so that the greatest weight is 1: short means urgent. For
  // workflows of equal weight it is C* itself.
  Duration due_length = 0;
};

// Not safe to share between threads. Needs single_cluster_unfit(problem) to be empty.
class Sharing {
 public:
  explicit Sharing(PlanningContext& context);

  // False when some workflow does not fit even alone, because the cluster leaves too early. Then
  // only to_plan may be used.
  bool is_possible() const { return possible_; }

  const std::vector<Member>& members() const { return members_; }
  std::size_t size() const { return members_.size(); }
  Count processors() const { return problem_.platform().clusters().front().processors; }

  // The processor counts worth planning for, in increasing order: all, and if others hold some,
  // also the numbers free at certain times, at most a few. Reason: a plan for the whole cluster
  // would wait until a reservation of several days ends.
  const std::vector<Count>& sizes() const { return sizes_; }

  Time now() const { return problem_.now(); }
  const Calendar& calendar() const { return problem_.platform().calendar(0); }
  CpaStop cpa_stop() const { return cpa_stop_; }

  // Every task of every workflow, by workflow and then by task.
  std::vector<TaskRef> tasks() const;

  // The workflows by due length, ties to the lower number.
  std::vector<std::size_t> by_due_length() const;

  // Without slots the plan is infeasible.
  Plan to_plan(std::string_view name, const std::optional<SharedSlots>& slots) const;

  // The fairest of plans made here; see fairest_plan.
  Plan fairest_of(std::vector<Plan> plans) const;

 private:
  bool choose_alone(Member& member) const;
  void set_due_lengths();

  const Problem& problem_;
  CpaStop cpa_stop_;
  std::vector<Count> sizes_;
  std::vector<Member> members_;
  bool possible_ = true;
};

}  // namespace dovetail::planning
