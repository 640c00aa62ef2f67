#include "planners/frontier_search.hpp"

#include <functional>

#include "planners/search_parts.hpp"

namespace dovetail {

namespace {

constexpr int kDeadlines = 12;

// Of the trials, for the earliest end; the deadlines share the rest.
constexpr double kEarliestShare = 0.2;

// Until when the search is to be over, as a share of its time; then come the certificates.
constexpr double kUntilProofs = 0.9;

// Deadline number `i` between the earliest and the latest end: closer to each other where the
// frontier is steep.
Time deadline_between(Time earliest, Time latest, int i) {
  const double x = static_cast<double>(i) / kDeadlines;
  const double share = x * x * (1 + x) / 2;
  return earliest + static_cast<Time>(static_cast<double>(latest - earliest) * share);
}

class FrontierSearch {
 public:
  FrontierSearch(PlanningContext& context, Frontier& front)
      : parts_(context),
        front_(front),
        trials_(trials_of(context.options().search, parts_.size())) {}

  void run() {
    save_everywhere();
    const auto first = static_cast<std::uint64_t>(static_cast<double>(trials_) * kEarliestShare);
    DecodedPlan earliest = decoded(front_.plans().front());
    if (parts_.has_few_tasks()) {
      const auto ends = width_ends_after(parts_.now(), parts_.bound.path_end());
      parts_.for_each_width(ends, kEarliestShare * kUntilProofs, [&](DecodedPlan plan) {
        if (plan.end < earliest.end) earliest = std::move(plan);
      });
    }
    earliest = parts_.search.improve(earliest, {}, std::max<std::uint64_t>(1, first),
                                     kEarliestShare * kUntilProofs);
    parts_.shrinker.shrink(earliest, earliest.end);
    offer(earliest, std::nullopt);
    const Time latest = parts_.now() + makespan(front_.plans().back());
    for (int i = 1; i <= kDeadlines; ++i) {
      const double until = kEarliestShare + (1 - kEarliestShare) * i / kDeadlines;
      find_cheapest_by(deadline_between(earliest.end, latest, i), until * kUntilProofs);
    }
    find_cheapest_by(parts_.now() + parts_.cluster.ample_makespan(), kUntilProofs);
  }

 private:
  DecodedPlan decoded(const Plan& plan) const { return parts_.decoded(plan); }

  void offer(const DecodedPlan& plan, std::optional<Time> deadline) {
    Plan found = parts_.cluster.to_plan("DOVETAIL", plan.slots);
    found.deadline = deadline;
    found.search = {.seed = parts_.limits.seed,
                    .trials = parts_.search.trials(),
                    .is_truncated = parts_.clock.was_over()};
    front_.offer(std::move(found));
  }

  // What others found, with fewer processors where that makes nothing later.
  void save_everywhere() {
    const std::vector<Plan> plans = front_.plans();
    for (const Plan& plan : plans) {
      if (parts_.clock.is_over(kEarliestShare * kUntilProofs)) return;
      DecodedPlan cheaper = decoded(plan);
      const Area before = cheaper.area;
      parts_.shrinker.shrink(cheaper, cheaper.end);
      if (cheaper.area < before) offer(cheaper, cheaper.end);
    }
  }

  void find_cheapest_by(Time deadline, double until) {
    if (parts_.clock.is_over(until)) return;
    SearchGoal goal{.value = SearchValue::area};
    goal.limits.end = deadline;
    const Plan* start = last_within(front_.plans(), deadline - parts_.now());
    if (start == nullptr) return;
    DecodedPlan best = decoded(*start);
    if (parts_.has_few_tasks()) {
      const auto ends = width_ends_before(parts_.now(), deadline);
      parts_.for_each_width(ends, until, [&](DecodedPlan plan) {
        if (!goal.allows(plan)) return;
        parts_.shrinker.shrink(plan, deadline);
        if (goal.is_better(plan, best, parts_.now())) best = std::move(plan);
      });
    }
    const auto share = static_cast<std::uint64_t>(static_cast<double>(trials_) *
                                                  (1 - kEarliestShare) / kDeadlines);
    best = parts_.search.improve(best, goal, std::max<std::uint64_t>(1, share), until);
    parts_.shrinker.shrink(best, deadline);
    offer(best, deadline);
  }

  SearchParts parts_;
  Frontier& front_;
  std::uint64_t trials_;
};

// No better end, or of a plan by a deadline no fewer CPU-hours.
std::optional<Certificate> proof_of(const SearchParts& parts, const Plan& plan,
                                    const std::function<bool()>& is_over) {
  if (!plan.deadline) {
    return parts.bound.on_end(plan.now + makespan(plan), parts.bound.on_end(), is_over);
  }
  Certificate proof = parts.bound.on_work(*plan.deadline);
  if (proof.work <= 0) return std::nullopt;  // that says nothing
  return proof;
}

}  // namespace

void improve_frontier(PlanningContext& context, Frontier& front) {
  if (front.plans().empty()) return;
  FrontierSearch(context, front).run();
}

void add_certificates(PlanningContext& context, std::vector<Plan>& plans) {
  const SearchParts parts(context);
  const auto is_over = [&] { return parts.clock.is_over(1 - kUntilProofs); };
  for (Plan& plan : plans) {
    if (plan.search && !is_over()) plan.search->certificate = proof_of(parts, plan, is_over);
  }
}

}  // namespace dovetail
