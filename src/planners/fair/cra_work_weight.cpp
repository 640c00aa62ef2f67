// CRA_WORK_WEIGHT: every workflow gets a share of the processors by its work.
//
// Source: N'Takpe and Suter (2009), with the order of Casanova, Desprez and Suter (2010).
// Idea: one half of the cluster is shared evenly, the other by the work of the workflows on one
// processor. CPA may give neither a task nor all tasks of a level of the graph together more than
// their workflow's share. One list of all tasks, by bottom level over the square of the workflow's
// time alone (over its weight), so that short workflows go first.
// Ties: lower workflow, then lower task; levels are compared exactly. Cost: one allocation per
// workflow, one list mapping. Not in the paper: if others hold processors, smaller parts of the
// cluster are shared out as well (Sharing::sizes), and the fairest plan wins. The paper calls P_i a
// number of processors, although it is a fraction. It does not say whether the stop rule uses the
// share or the cluster; here it is the cluster.
#include <algorithm>

#include "dovetail/metrics.hpp"
#include "planners/fair/fair_planners.hpp"
#include "planners/fair/list_map.hpp"
#include "planners/list/allocate.hpp"
#include "planners/list/cluster_view.hpp"

namespace dovetail::planning {

namespace {

Area sequential_work(const ClusterView& view) {
  Area work = 0;
  for (TaskId task = 0; task < view.size(); ++task) {
    const Count least = view.time(task).min_procs();
    work += Area{least} * view.time(task).duration(least);
  }
  return work;
}

// max(1, floor(P (1 / 2N + w / 2 sum w))) for each workflow.
std::vector<Count> work_shares(const Sharing& sharing, Count procs) {
  std::vector<Area> works;
  Area total = 0;
  for (const Member& member : sharing.members()) {
    works.push_back(sequential_work(member.view));
    total += works.back();
  }
  const auto workflows = static_cast<Area>(works.size());
  std::vector<Count> shares;
  for (const Area work : works) {
    const Area share = procs * (total + workflows * work) / (2 * workflows * total);
    shares.push_back(std::max(1, static_cast<Count>(share)));
  }
  return shares;
}

// A task's rank: its level over the square of the workflow's due length.
struct WeighedLevel {
  Duration level;
  Duration due_length;
};

bool goes_first(const WeighedLevel& a, const WeighedLevel& b) {
  const Area square_a = Area{a.due_length} * a.due_length;
  const Area square_b = Area{b.due_length} * b.due_length;
  Area left = 0;
  Area right = 0;
  if (!__builtin_mul_overflow(Area{a.level}, square_b, &left) &&
      !__builtin_mul_overflow(Area{b.level}, square_a, &right)) {
    return left > right;
  }
  // Beyond 128 bits, where durations are centuries, long double is precise enough.
  return static_cast<long double>(a.level) * static_cast<long double>(square_b) >
         static_cast<long double>(b.level) * static_cast<long double>(square_a);
}

Plan plan_for(const Sharing& sharing, std::string_view name, Count procs) {
  const std::vector<Count> shares = work_shares(sharing, procs);
  std::vector<std::vector<Count>> allocations;
  std::vector<std::vector<Duration>> levels;
  for (std::size_t i = 0; i < sharing.size(); ++i) {
    const ClusterView& view = sharing.members()[i].view;
    allocations.push_back(cpa_allocation_within(view, procs, shares[i], sharing.cpa_stop()));
    levels.push_back(bottom_levels(view, allocations.back()));
  }
  std::vector<TaskRef> list = sharing.tasks();
  std::ranges::stable_sort(list, goes_first, [&](TaskRef ref) {
    return WeighedLevel{levels[ref.workflow][ref.task], sharing.members()[ref.workflow].due_length};
  });
  return plan_list(sharing, name, list, allocations);
}

}  // namespace

Plan plan_cra_work_weight(const Sharing& sharing, std::string_view name) {
  std::vector<Plan> plans;
  for (const Count procs : sharing.sizes()) plans.push_back(plan_for(sharing, name, procs));
  return sharing.fairest_of(std::move(plans));
}

}  // namespace dovetail::planning
