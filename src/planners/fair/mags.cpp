// MAGS: malleable allocations with guaranteed stretch.
//
// Source: Casanova, Desprez and Suter (2010), Algorithms 2 and 3.
// Idea: periods (periods.hpp) come from the perfectly fair bound S* (fair_bound.hpp); in each,
// every workflow owns some rows of the cluster, more of them the sooner it is due. From the last
// period to the first, the tasks of a workflow are placed on its rows as late as they can, by CPA
// on the reversed graph of those not placed yet; a task that does not fit in a period waits for an
// earlier one. When tasks are left over, all periods grow by a common slack, found by doubling and
// halving. No workflow's stretch exceeds 2 x slack x S*. Ties: bottom levels to the lower task, due
// ends to the lower workflow. Cost: one CPA allocation per workflow and period for every slack that
// is tried, some ten of them. Not in the paper: reservations, weights and workflows that become
// ready later (periods.hpp), and what to do when the widest tasks of the workflows due in a period
// do not fit side by side, so that no slack would help: then such workflows get parts of the period
// one after the other. If the cluster leaves so early that no slack helps, the plan comes from
// lists, without a guarantee: short workflows first, as in SELFISH_ORDER, with CPA for the whole
// cluster, half of it, a quarter and so on; the fairest of these wins.
#include <algorithm>
#include <map>

#include "planners/fair/fair_planners.hpp"
#include "planners/fair/list_map.hpp"
#include "planners/fair/periods.hpp"
#include "planners/list/allocate.hpp"
#include "planners/list/cluster_view.hpp"

namespace dovetail::planning {

namespace {

// Slack as a whole number of parts: bisection from 2^20 down to steps of 1/128 halves 27 times.
constexpr Area kNoSlack = Area{1} << 27;
constexpr Area kMostSlack = kNoSlack << 20;
constexpr Area kSlackStep = kNoSlack / 128;

// Places one workflow backwards.
class BackwardPlacer {
 public:
  explicit BackwardPlacer(const ClusterView& view)
      : view_(view), reversed_(view.reversed()), slots_(view.size()) {}

  // The slots of the tasks; null when some do not fit.
  const std::vector<Slot>* place(const Calendar& cluster, const std::vector<Period>& periods,
                                 std::size_t workflow, CpaStop stop) {
    std::ranges::fill(slots_, Slot{});
    std::vector<TaskId> unplaced(view_.size());
    for (TaskId task = 0; task < view_.size(); ++task) unplaced[task] = task;
    for (auto period = periods.rbegin(); period != periods.rend() && !unplaced.empty(); ++period) {
      const auto& rows = period->rows[workflow];
      if (rows.empty() || period->begin == period->end) continue;  // within a millisecond
      place_in(*period, rows_calendar(cluster, *period, rows), static_cast<Count>(rows.size()),
               unplaced, stop);
      std::erase_if(unplaced, [&](TaskId task) { return slots_[task].procs > 0; });
    }
    return unplaced.empty() ? &slots_ : nullptr;
  }

 private:
  // CPA's allocation for the tasks not placed yet, and the order in which they are placed.
  struct MappedPart {
    std::vector<Count> allocation;
    std::vector<TaskId> order;
  };

  MappedPart choose(const ClusterView& part, Count procs, CpaStop stop) const {
    MappedPart choice{cpa_allocation(part, procs, stop), {}};
    choice.order = by_decreasing_level(bottom_levels(part, choice.allocation));
    return choice;
  }

  // Cached, since different slacks often need the whole workflow on the same number of processors.
  const MappedPart& choose_for_all(Count procs, CpaStop stop) {
    const auto found = for_all_.find(procs);
    if (found != for_all_.end()) return found->second;
    return for_all_.emplace(procs, choose(reversed_, procs, stop)).first->second;
  }

  void place_in(const Period& period, Calendar calendar, Count procs,
                const std::vector<TaskId>& unplaced, CpaStop stop) {
    const bool is_all = unplaced.size() == view_.size();
    MappedPart of_part;
    if (!is_all) of_part = choose(reversed_.part(unplaced), procs, stop);
    const MappedPart& choice = is_all ? choose_for_all(procs, stop) : of_part;
    for (const TaskId number : choice.order) {
      const TaskId task = unplaced[number];
      const auto end = latest_end(task, period.end);
      if (!end) continue;
      const Count given = choice.allocation[number];
      const Duration length = view_.time(task).duration(given);
      const Time ready = std::max(period.begin, view_.release(task));
      const auto start = calendar.latest_fit(given, length, ready, *end);
      if (!start) continue;
      calendar.reserve({*start, *start + length}, given);
      slots_[task] = {given, *start, *start + length};
    }
  }

  // The latest end before the tasks that need it; nothing while one of these has no place.
  std::optional<Time> latest_end(TaskId task, Time end) const {
    for (const TaskId next : view_.workflow().successors(task)) {
      if (slots_[next].procs == 0) return std::nullopt;
      end = std::min(end, slots_[next].start);
    }
    return end;
  }

  const ClusterView& view_;
  ClusterView reversed_;
  std::vector<Slot> slots_;  // without processors: not placed
  std::map<Count, MappedPart> for_all_;
};

// Tries slacks.
class SlackSearch {
 public:
  struct Found {
    Area slack = 0;
    SharedSlots slots = {};
    std::vector<Time> periods = {};
  };

  SlackSearch(const Sharing& sharing, const FreeArea& area, Ratio bound)
      : sharing_(sharing), area_(area), bound_(bound) {
    for (const Member& member : sharing.members()) placers_.emplace_back(member.view);
  }

  // The least slack by the paper's search. Feasibility is not monotone in the slack, so the search
  // is the definition.
  std::optional<Found> find(bool one_after_the_other) {
    std::optional<Found> found;
    Area high = kNoSlack;
    while (!(found = attempt(high, one_after_the_other))) {
      high *= 2;
      if (high > kMostSlack) return std::nullopt;
    }
    for (Area low = kNoSlack; high - low > kSlackStep;) {
      const Area middle = (low + high) / 2;
      if (auto better = attempt(middle, one_after_the_other)) {
        found = std::move(better);
        high = middle;
      } else {
        low = middle;
      }
    }
    return found;
  }

 private:
  std::optional<Found> attempt(Area slack, bool one_after_the_other) {
    const Ratio factor = Ratio::of(slack, kNoSlack);
    const Ratio stretch = Ratio::of(bound_.above * factor.above, bound_.below * factor.below);
    const auto periods = divide_time(sharing_, area_, {stretch, one_after_the_other});
    if (!periods) return std::nullopt;
    Found found{.slack = slack};
    for (std::size_t i = 0; i < sharing_.size(); ++i) {
      const auto* slots = placers_[i].place(sharing_.calendar(), *periods, i, sharing_.cpa_stop());
      if (slots == nullptr) return std::nullopt;
      found.slots.push_back(*slots);
    }
    for (const Period& period : *periods) found.periods.push_back(period.end);
    return found;
  }

  const Sharing& sharing_;
  const FreeArea& area_;
  Ratio bound_;
  std::vector<BackwardPlacer> placers_;
};

Plan plan_without_periods(const Sharing& sharing, std::string_view name) {
  std::vector<Plan> plans{plan_selfish_order(sharing, name)};
  for (Count procs = sharing.processors() / 2; procs > 0; procs /= 2) {
    std::vector<std::vector<Count>> allocations;
    for (const Member& member : sharing.members()) {
      allocations.push_back(cpa_allocation(member.view, procs, sharing.cpa_stop()));
    }
    plans.push_back(plan_short_first(sharing, name, allocations));
  }
  return sharing.fairest_of(std::move(plans));
}

}  // namespace

Plan plan_mags(const Sharing& sharing, std::string_view name) {
  const FreeArea area(sharing.calendar(), sharing.now());
  const auto bound = fair_bound(sharing, area);
  if (!bound) return plan_without_periods(sharing, name);
  SlackSearch search(sharing, area, *bound);
  auto found = search.find(false);
  if (!found) found = search.find(true);
  if (!found) return plan_without_periods(sharing, name);
  Plan plan = sharing.to_plan(name, compact(sharing, found->slots));
  plan.division = {.slack = static_cast<double>(found->slack) / static_cast<double>(kNoSlack),
                   .bound = bound->value(),
                   .periods = std::move(found->periods)};
  return plan;
}

}  // namespace dovetail::planning
