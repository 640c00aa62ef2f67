#include "planners/search/frontier_search.hpp"

#include <algorithm>
#include <functional>

#include "dovetail/metrics.hpp"
#include "planners/search/search_parts.hpp"

namespace dovetail::planning {

namespace {

// Shares of the trials and the time: for the earliest end, and for deadlines and budgets together.
constexpr double kEarliestShare = 0.2;
constexpr double kDeadlineShare = 0.5;
constexpr double kBudgetShare = 0.3;

// When the search must be over, as a share of its time; the certificates follow.
constexpr double kUntilProofs = 0.9;

// Deadlines between the earliest and the latest end for x between 0 and 1: denser where the
// frontier is steep.
Time deadline_between(Time earliest, Time latest, double x) {
  const double share = x * x * (1 + x) / 2;
  return earliest + static_cast<Time>(static_cast<double>(latest - earliest) * share);
}

class FrontierSearch {
 public:
  FrontierSearch(PlanningContext& context, Frontier& front, const FrontierEffort& effort)
      : parts_(context),
        front_(front),
        deadlines_(effort.deadlines),
        trials_(effort.efforts * trials_of(context.options().search, parts_.size())) {}

  void run() {
    save_everywhere();
    DecodedPlan earliest = parts_.decoded(front_.plans().front());
    if (parts_.has_few_tasks()) {
      const auto ends = width_ends_after(parts_.now(), parts_.bound.path_end());
      parts_.for_each_width(ends, kEarliestShare * kUntilProofs, [&](DecodedPlan plan) {
        if (plan.end < earliest.end) earliest = std::move(plan);
      });
    }
    const SearchGoal first{.enough = Area{parts_.bound.path_end() - parts_.now()}};
    earliest = parts_.search.improve(earliest, first, share_of(kEarliestShare, 1),
                                     kEarliestShare * kUntilProofs);
    parts_.shrinker.shrink(earliest, earliest.end);
    offer(earliest, std::nullopt);
    search_by_deadlines(earliest.end);
    search_by_budgets();
    find_cheapest_by(parts_.now() + parts_.cluster.ample_makespan(), kUntilProofs,
                     share_of(kDeadlineShare, static_cast<std::size_t>(deadlines_)));
  }

 private:
  // The number of trials of each search when `searches` searches share a part of the trials.
  std::uint64_t share_of(double part, std::size_t searches) const {
    const double share = static_cast<double>(trials_) * part / static_cast<double>(searches);
    // More trials find hardly anything, and with few tasks there would be millions.
    const std::uint64_t most = 2'000 * (parts_.size() + 4);
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(share), 1, most);
  }

  void search_by_deadlines(Time earliest) {
    const Time latest = parts_.now() + makespan(front_.plans().back());
    const auto count = static_cast<std::size_t>(deadlines_);
    for (std::size_t i = 1; i <= count; ++i) {
      const double x = static_cast<double>(i) / static_cast<double>(count);
      const double until = (kEarliestShare + kDeadlineShare * x) * kUntilProofs;
      find_cheapest_by(deadline_between(earliest, latest, x), until,
                       share_of(kDeadlineShare, count));
    }
  }

  // Searches for an earlier end for each plan with the CPU-hours of its neighbour, from the
  // cheapest on.
  void search_by_budgets() {
    const std::vector<Plan> plans = front_.plans();
    const std::size_t count = plans.size() - 1;
    for (std::size_t i = 0; i < count; ++i) {
      const double x = static_cast<double>(i + 1) / static_cast<double>(count);
      const double until = (kEarliestShare + kDeadlineShare + kBudgetShare * x) * kUntilProofs;
      if (parts_.clock.is_over(until)) continue;
      const SearchGoal goal{.limits = {.area = consumed(plans[count - i - 1])},
                            .enough = Area{parts_.bound.path_end() - parts_.now()}};
      const DecodedPlan from = parts_.decoded(plans[count - i]);
      DecodedPlan found = parts_.search.improve(from, goal, share_of(kBudgetShare, count), until);
      parts_.shrinker.shrink(found, found.end);
      offer(found, found.end);
    }
  }

  void offer(const DecodedPlan& plan, std::optional<Time> deadline) {
    Plan found = parts_.cluster.to_plan("DOVETAIL", plan.slots);
    found.deadline = deadline;
    // On nodes a plan may end later than by processors alone.
    if (deadline && found.now + makespan(found) > *deadline) return;
    found.search = parts_.record();
    front_.offer(std::move(found));
  }

  // Reduces the processors of the plans found elsewhere where no end becomes later.
  void save_everywhere() {
    const std::vector<Plan> plans = front_.plans();
    for (const Plan& plan : plans) {
      if (parts_.clock.is_over(kEarliestShare * kUntilProofs)) return;
      DecodedPlan cheaper = parts_.decoded(plan);
      const Area before = cheaper.area;
      parts_.shrinker.shrink(cheaper, cheaper.end);
      if (cheaper.area < before) offer(cheaper, cheaper.end);
    }
  }

  void find_cheapest_by(Time deadline, double until, std::uint64_t trials) {
    if (parts_.clock.is_over(until)) return;
    const SearchGoal goal{.value = SearchValue::area,
                          .limits = {.end = deadline},
                          .enough = parts_.bound.on_work(deadline).work};
    const Plan* start = last_within(front_.plans(), deadline - parts_.now());
    if (start == nullptr) return;
    DecodedPlan best = parts_.decoded(*start);
    if (parts_.has_few_tasks()) {
      const auto ends = width_ends_before(parts_.now(), deadline);
      parts_.for_each_width(ends, until, [&](DecodedPlan plan) {
        if (!goal.allows(plan)) return;
        parts_.shrinker.shrink(plan, deadline);
        if (goal.is_better(plan, best, parts_.now())) best = std::move(plan);
      });
    }
    best = parts_.search.improve(best, goal, trials, until);
    parts_.shrinker.shrink(best, deadline);
    offer(best, deadline);
  }

  SearchParts parts_;
  Frontier& front_;
  int deadlines_;
  std::uint64_t trials_;
};

// A proof that no plan ends earlier or, for a deadline plan, uses fewer CPU-hours.
std::optional<Certificate> proof_of(const SearchParts& parts, const Plan& plan,
                                    const std::function<bool()>& is_over) {
  if (!plan.deadline) {
    return parts.bound.on_end(plan.now + makespan(plan), parts.bound.on_end(), is_over);
  }
  Certificate proof = parts.bound.on_work(*plan.deadline);
  if (proof.work <= 0) return std::nullopt;  // a bound of 0 says nothing
  return proof;
}

}  // namespace

void improve_frontier(PlanningContext& context, Frontier& front, const FrontierEffort& effort) {
  if (front.plans().empty()) return;
  FrontierSearch(context, front, effort).run();
}

void add_certificates(PlanningContext& context, std::vector<Plan>& plans) {
  const SearchParts parts(context);
  const auto is_over = [&] { return parts.clock.is_over(1 - kUntilProofs); };
  for (Plan& plan : plans) {
    if (plan.search && !is_over()) plan.search->certificate = proof_of(parts, plan, is_over);
  }
}

}  // namespace dovetail::planning
