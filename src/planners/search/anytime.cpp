#include "planners/search/anytime.hpp"

#include <algorithm>

#include "dovetail/metrics.hpp"
#include "planners/list/turnaround.hpp"
#include "planners/search/search_parts.hpp"

namespace dovetail::planning {

namespace {

// A plan this close to the bound is good enough.
constexpr double kNearBound = 0.001;

class AnytimeSearch {
 public:
  AnytimeSearch(PlanningContext& context, std::optional<Time> deadline)
      : deadline_(deadline), parts_(context), trials_(trials_of(parts_.limits, parts_.size())) {
    if (!deadline_) return;
    goal_.value = SearchValue::area;
    goal_.limits.end = *deadline_;
  }

  Plan run(std::span<const Plan> known) {
    const auto thrifty = published(BottomLevel::cpar, Bound::cpar);
    set_budget(thrifty);
    if (thrifty) offer(*thrifty);
    offer_published();
    offer_known(known, false);
    if (!earliest_) return no_plan();
    tighten_bound(parts_.clock.ahead(kForFirstBound));
    if (parts_.has_few_tasks()) offer_widths();
    if (!best_) offer_known(known, true);
    if (!best_) search_within_limits();
    if (!best_) return no_plan();
    goal_.enough = enough();
    improve(*best_, goal_);
    offer_known(known, true);
    shrink();
    // With very many tasks each step takes too long to start one when the time is nearly over.
    if (parts_.has_few_tasks() || (!proof_ && !deadline_)) tighten_bound(1);
    return to_plan();
  }

 private:
  Time now() const { return parts_.now(); }
  Plan no_plan() const { return parts_.cluster.to_plan(kName, std::nullopt); }

  void offer(DecodedPlan plan) {
    if (!earliest_ || plan.end < earliest_->end) earliest_ = plan;
    if (!cheapest_ || plan.area < cheapest_->area) cheapest_ = plan;
    if (!goal_.allows(plan)) return;
    if (!best_ || goal_.is_better(plan, *best_, now())) best_ = std::move(plan);
  }

  // Plans of another search are where it got stuck: good results, but poor starting points.
  void offer_known(std::span<const Plan> known, bool is_searched) {
    for (const Plan& plan : known) {
      if (plan.feasible && (plan.algorithm == kName) == is_searched) offer(parts_.decoded(plan));
    }
  }

  void improve(const DecodedPlan& from, const SearchGoal& goal) {
    const std::uint64_t left = trials_ - std::min(trials_, parts_.search.trials());
    offer(parts_.search.improve(from, goal, left, kUntilSearch));
  }

  std::optional<DecodedPlan> published(BottomLevel level, Bound bound) {
    OneCluster& cluster = parts_.cluster;
    const auto slots = place_forward(cluster.view(), cluster.order(level), cluster.bounds(bound),
                                     cluster.calendar());
    if (!slots) return std::nullopt;
    return measured(*slots, now());
  }

  void set_budget(const std::optional<DecodedPlan>& thrifty) {
    Area budget = DecodeLimits{}.area;
    if (thrifty) budget = allowed_area(parts_.limits, thrifty->area);
    if (parts_.limits.budget) budget = *parts_.limits.budget;
    if (budget == DecodeLimits{}.area || deadline_) return;
    // Files keep only 53 bits of it.
    Area unit = 1;
    while (budget / unit > (Area{1} << 52)) unit *= 2;
    budget = (budget + unit - 1) / unit * unit;
    goal_.limits.area = budget;
    parts_.bound.set_budget(budget);
  }

  void offer_published() {
    if (!parts_.has_few_tasks()) return;
    for (const BottomLevel level :
         {BottomLevel::cpar, BottomLevel::cpa, BottomLevel::one, BottomLevel::all}) {
      for (const Bound bound : {Bound::cpar, Bound::cpa, Bound::half, Bound::all}) {
        if (level == BottomLevel::cpar && bound == Bound::cpar) continue;  // already covered
        if (parts_.clock.is_over(kUntilPublished)) return;
        if (auto plan = published(level, bound)) offer(std::move(*plan));
      }
    }
  }

  void offer_widths() {
    const Time least = proof_ && !deadline_ ? proof_->end + 1 : parts_.bound.path_end();
    const auto ends =
        deadline_ ? width_ends_before(now(), *deadline_) : width_ends_after(now(), least);
    parts_.for_each_width(ends, parts_.clock.ahead(kForWidths), [&](DecodedPlan plan) {
      const bool is_dear = deadline_ || plan.area > goal_.limits.area;
      if (is_dear && plan.end <= goal_.limits.end) {
        parts_.shrinker.shrink(plan, deadline_.value_or(plan.end));
      }
      offer(std::move(plan));
    });
  }

  // No plan meets the deadline yet: minimise the end, but stop at the deadline. No plan meets the
  // budget yet: do the same with the CPU time.
  void search_within_limits() {
    if (deadline_) {
      improve(*earliest_, {.enough = Area{*deadline_ - now()}});
      return;
    }
    DecodedPlan thrifty = *cheapest_;
    Time end = now() + (thrifty.end - now()) * 2;
    // Doubles the time until plans get no cheaper.
    for (Area before = -1; !best_ && thrifty.area != before; end += end - now()) {
      before = thrifty.area;
      parts_.shrinker.shrink(thrifty, end);
      offer(thrifty);
    }
    if (best_) return;
    improve(thrifty, {.value = SearchValue::area, .enough = goal_.limits.area});
  }

  // Saves CPU time that the same end, or the deadline, leaves unused.
  void shrink() {
    DecodedPlan cheaper = *best_;
    parts_.shrinker.shrink(cheaper, deadline_.value_or(cheaper.end),
                           [&] { return parts_.clock.is_over(kUntilShrinking); });
    offer(std::move(cheaper));
  }

  void tighten_bound(double share_of_time) {
    if (deadline_) {
      if (proof_ || !best_) return;
      proof_ = parts_.bound.on_work(*deadline_);
      if (proof_->work <= 0) proof_.reset();  // a bound of 0 says nothing
      return;
    }
    if (!proof_) proof_ = parts_.bound.on_end();
    if (!best_) return;
    *proof_ = parts_.bound.on_end(best_->end, std::move(*proof_),
                                  [&] { return parts_.clock.is_over(share_of_time); });
  }

  Area enough() const {
    if (!proof_) return deadline_ ? Area{0} : Area{parts_.bound.path_end() - now()};
    const Area least = deadline_ ? proof_->work : Area{proof_->end + 1 - now()};
    return least + static_cast<Area>(static_cast<double>(least) * kNearBound);
  }

  Plan to_plan() {
    Plan plan = parts_.cluster.to_plan(kName, best_->slots);
    plan.search = parts_.record();
    plan.search->certificate = std::move(proof_);
    return plan;
  }

  static constexpr std::string_view kName = "DOVETAIL";

  // When the parts of a search must be over, as shares of its time.
  static constexpr double kUntilPublished = 0.3;
  static constexpr double kUntilSearch = 0.9;
  static constexpr double kUntilShrinking = 0.95;

  // The same as shares of the time left when they begin.
  static constexpr double kForFirstBound = 0.15;
  static constexpr double kForWidths = 0.18;

  std::optional<Time> deadline_;
  SearchParts parts_;
  SearchGoal goal_;
  std::uint64_t trials_;
  std::optional<Certificate> proof_;
  std::optional<DecodedPlan> best_;  // within the limits
  // Whether or not they are within the limits.
  std::optional<DecodedPlan> earliest_, cheapest_;
};

}  // namespace

Plan plan_anytime(PlanningContext& context, std::optional<Time> deadline,
                  std::span<const Plan> known) {
  return AnytimeSearch(context, deadline).run(known);
}

}  // namespace dovetail::planning

namespace dovetail {

// By tasks placed, so that large workflows do not take too long.
std::uint64_t trials_of(const SearchLimits& limits, std::size_t tasks) {
  constexpr std::uint64_t kEndless = 1'000'000'000'000;
  if (limits.trials) return *limits.trials;
  if (!limits.effort && limits.seconds) return kEndless;
  const std::uint64_t placed = [&]() -> std::uint64_t {
    switch (limits.effort.value_or(Effort::normal)) {
      case Effort::quick:
        return 200'000;
      case Effort::normal:
        return 3'000'000;
      case Effort::thorough:
        break;
    }
    return 60'000'000;
  }();
  return std::max<std::uint64_t>(1, placed / std::max<std::size_t>(1, tasks));
}

}  // namespace dovetail
