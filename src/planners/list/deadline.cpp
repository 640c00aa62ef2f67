#include "planners/list/deadline.hpp"

#include <algorithm>

#include "dovetail/metrics.hpp"
#include "planners/list/allocate.hpp"
#include "planners/list/cluster_view.hpp"

namespace dovetail::planning {

namespace {

constexpr int kMostTwentieths = 20;

// The limits for every task.
struct PassLimits {
  std::span<const Time> earliest;   // the earliest start
  std::span<const Count> widest;    // most processors of conservative choices
  std::span<const Count> fallback;  // most processors of aggressive choices
  std::span<const Time> guide;      // empty: always aggressive
};

// Passes over one problem at one deadline, with increasing lambda. A pass keeps the choices that it
// shares with the pass before and undoes the rest; the result equals that of a pass from the start.
class BackwardPass {
 public:
  BackwardPass(const OneCluster& cluster, std::span<const TaskId> order, const PassLimits& limits,
               Time deadline)
      : view_(cluster.view()),
        calendar_(cluster.calendar()),
        order_(order),
        limits_(limits),
        deadline_(deadline),
        slots_(order.size()) {
    valid_until_.reserve(order.size());
  }

  // Whether all tasks find a slot. Needs more twentieths than in the call before.
  bool run(int twentieths) {
    const std::size_t kept = kept_places(twentieths);
    // The pass before failed with the same choices up to here, so this one fails too.
    if (failed_ && kept == valid_until_.size()) return false;
    undo_from(kept);
    failed_ = false;
    for (std::size_t i = kept; i < order_.size() && !failed_; ++i) {
      failed_ = !place(order_[i], twentieths);
    }
    return !failed_;
  }

  const std::vector<Slot>& slots() const { return slots_; }

 private:
  std::size_t kept_places(int twentieths) const {
    const auto changed = std::find_if(valid_until_.begin(), valid_until_.end(),
                                      [&](int until) { return until < twentieths; });
    return static_cast<std::size_t>(changed - valid_until_.begin());
  }

  void undo_from(std::size_t kept) {
    while (valid_until_.size() > kept) {
      valid_until_.pop_back();
      const Slot& slot = slots_[order_[valid_until_.size()]];
      calendar_.release({slot.start, slot.end}, slot.procs);
    }
  }

  bool place(TaskId task, int twentieths) {
    const Time end = due_time(view_, task, slots_, deadline_);
    int valid_until = kMostTwentieths;
    std::optional<Slot> slot;
    if (!limits_.guide.empty() && limits_.guide[task] < end) {
      slot = conservative(task, end, twentieths);
      if (slot) {
        valid_until = last_valid(slot->start - limits_.guide[task], end - limits_.guide[task]);
      }
    }
    if (!slot) {
      // An earlier start would leave some predecessor no time.
      slot = latest_start(calendar_, view_.time(task), limits_.fallback[task],
                          {limits_.earliest[task], end});
    }
    if (!slot) return false;
    calendar_.reserve({slot->start, slot->end}, slot->procs);
    slots_[task] = *slot;
    valid_until_.push_back(valid_until);
    return true;
  }

  // 20 start >= 20 guide + twentieths (end - guide), in whole numbers.
  std::optional<Slot> conservative(TaskId task, Time end, int twentieths) const {
    const Area share = Area{end - limits_.guide[task]} * twentieths;
    const Time first =
        limits_.guide[task] + static_cast<Time>((share + kMostTwentieths - 1) / kMostTwentieths);
    return fewest_processors(calendar_, view_.time(task), limits_.widest[task], {first, end});
  }

  // The most twentieths at which a start this long after the guide is still late enough.
  static int last_valid(Duration after_guide, Duration room) {
    return static_cast<int>(Area{after_guide} * kMostTwentieths / room);
  }

  const ClusterView& view_;
  Calendar calendar_;
  std::span<const TaskId> order_;
  PassLimits limits_;
  Time deadline_;
  std::vector<Slot> slots_;
  std::vector<int> valid_until_;  // by placed task: its slot is valid up to this lambda
  bool failed_ = false;
};

// The start of each task if all tasks before it use as many processors as they may.
std::vector<Time> earliest_starts(const ClusterView& view, std::span<const Count> widest) {
  std::vector<Time> starts(view.size());
  for (TaskId task = 0; task < view.size(); ++task) starts[task] = view.release(task);
  for (const TaskId task : view.workflow().topological_order()) {
    const Time end = starts[task] + view.time(task).duration(widest[task]);
    for (const TaskId after : view.workflow().successors(task)) {
      starts[after] = std::max(starts[after], end);
    }
  }
  return starts;
}

// CPA's mapping phase on an empty cluster.
std::vector<Slot> map_alone(const ClusterView& view, const std::vector<Count>& allocation,
                            Count procs, Time now) {
  const Count widest = *std::max_element(allocation.begin(), allocation.end());
  const auto order = by_decreasing_level(bottom_levels(view, allocation));
  return place_fixed(view, order, allocation, Calendar(std::max(procs, widest), now)).value();
}

// The guide of each task from a separate schedule of the tasks up to it in the list.
std::vector<Time> one_schedule_each(OneCluster& cluster, Bound share, Count procs,
                                    GuideReading reading) {
  const auto& order = cluster.order(BottomLevel::cpar);
  std::vector<Time> starts(order.size());
  std::vector<TaskId> front;  // sorted, so that ties are broken as in the whole workflow
  for (const TaskId task : order) {
    const auto place = front.insert(std::lower_bound(front.begin(), front.end(), task), task);
    const auto number = static_cast<std::size_t>(place - front.begin());
    const ClusterView part = cluster.view().part(front);
    std::vector<Count> allocation;
    if (reading == GuideReading::remaining) {
      allocation = cpa_allocation(part, procs, cluster.options().cpa_stop);
    } else {
      const std::vector<Count>& whole = cluster.bounds(share);
      for (const TaskId kept : front) allocation.push_back(whole[kept]);
    }
    starts[task] = map_alone(part, allocation, procs, cluster.now())[number].start;
  }
  return starts;
}

// The guide of resource-conservative planning: when each task would start if the cluster were
// empty. A task that starts no earlier than its guide leaves its predecessors enough time, so it
// may run on few processors. The guide comes from CPA for `share` (Bound::cpa or Bound::cpar) on an
// empty cluster of that many processors, or as many as the widest task needs.
//
// Tasks are placed from the back, and the guide of a task considers those not placed yet. With
// GuideReading::front they keep their places in the schedule of the whole workflow; `whole` maps
// them again, ranked by the bottom levels that they have without the others; `remaining` also
// allocates again.
std::vector<Time> guide_starts(OneCluster& cluster, Bound share, GuideReading reading) {
  const Count procs = share == Bound::cpa ? cluster.processors() : cluster.historical_procs();
  if (reading != GuideReading::front) return one_schedule_each(cluster, share, procs, reading);
  std::vector<Time> starts;
  for (const Slot& slot : map_alone(cluster.view(), cluster.bounds(share), procs, cluster.now())) {
    starts.push_back(slot.start);
  }
  return starts;
}

}  // namespace

DeadlinePlanner::DeadlinePlanner(PlanningContext& context)
    : cluster_(context.shared<OneCluster>()),
      order_(cluster_.order(BottomLevel::cpar)),
      earliest_(earliest_starts(cluster_.view(), cluster_.bounds(Bound::all))) {
  std::reverse(order_.begin(), order_.end());
}

Plan DeadlinePlanner::plan(const DeadlineRule& rule, Time deadline, std::string_view name) {
  return first_that_meets(rule, deadline, {0, rule.search_lambda ? kMostTwentieths : 0}, name);
}

Plan DeadlinePlanner::plan_at(const DeadlineRule& rule, Time deadline, int twentieths) {
  return first_that_meets(rule, deadline, {twentieths, twentieths}, {});
}

Plan DeadlinePlanner::first_that_meets(const DeadlineRule& rule, Time deadline,
                                       std::pair<int, int> twentieths, std::string_view name) {
  const std::span<const Time> no_guide;
  BackwardPass pass(cluster_, order_,
                    {.earliest = earliest_,
                     .widest = cluster_.bounds(Bound::all),
                     .fallback = cluster_.bounds(fallback(rule)),
                     .guide = rule.guide == Guide::none ? no_guide : guide(rule.guide)},
                    deadline);
  for (int k = twentieths.first; k <= twentieths.second; ++k) {
    if (!pass.run(k)) continue;
    Plan plan = cluster_.to_plan(name, pass.slots());
    plan.deadline = deadline;
    if (rule.search_lambda) plan.lambda = k / static_cast<double>(kMostTwentieths);
    return plan;
  }
  Plan plan = cluster_.to_plan(name, std::nullopt);
  plan.deadline = deadline;
  return plan;
}

Bound DeadlinePlanner::fallback(const DeadlineRule& rule) const {
  const bool plain = rule.guide != Guide::none && !rule.search_lambda;
  if (!plain || cluster_.options().fallback == Fallback::cluster) return rule.fallback;
  return rule.guide == Guide::cpa ? Bound::cpa : Bound::cpar;
}

const std::vector<Time>& DeadlinePlanner::guide(Guide which) {
  auto& cached = guides_[which == Guide::cpa ? 0 : 1];
  if (!cached) {
    cached = guide_starts(cluster_, which == Guide::cpa ? Bound::cpa : Bound::cpar,
                          cluster_.options().guide);
  }
  return *cached;
}

}  // namespace dovetail::planning
