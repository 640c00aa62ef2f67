#include "planners/anytime.hpp"

#include <algorithm>
#include <cmath>

#include "dovetail/metrics.hpp"
#include "planners/levels.hpp"
#include "planners/lower_bound.hpp"
#include "planners/one_cluster.hpp"
#include "planners/plan_search.hpp"
#include "planners/shrink.hpp"
#include "planners/turnaround.hpp"

namespace dovetail {

namespace {

// For more tasks, all published plans and widths by flows would take longer than people wait.
constexpr std::size_t kManyTasks = 500;

// Ends for which widths are asked, as shares of the least possible one, and of a deadline.
constexpr double kWidthEnds[] = {1.02, 1.1, 1.05, 1.01, 1.18, 1.33};
constexpr double kWidthDeadlines[] = {1, 0.94, 0.97, 0.9, 0.85};

// So near to the bound nothing is left to find.
constexpr double kNearBound = 0.001;

// Until when the parts of a search are to be over, as shares of its time.
constexpr double kUntilFirstBound = 0.15;
constexpr double kUntilWidths = 0.3;
constexpr double kUntilSearch = 0.9;

class AnytimeSearch {
 public:
  AnytimeSearch(PlanningContext& context, std::optional<Time> deadline)
      : cluster_(context.shared<OneCluster>()),
        limits_(context.options().search),
        deadline_(deadline),
        clock_(limits_),
        goal_(make_goal()),
        bound_(view(), cluster_.calendar(), now(), budget()),
        search_(view(), cluster_.calendar(), now(), limits_, clock_),
        shrinker_(view(), cluster_.calendar(), now()) {}

  Plan run(std::span<const Plan> known) {
    offer_published();
    for (const Plan& plan : known) {
      if (plan.feasible) offer(measured(slots_of(plan), now()));
    }
    if (!earliest_) return cluster_.to_plan("DOVETAIL", std::nullopt);
    if (view().size() <= kManyTasks) {
      tighten_bound(kUntilFirstBound);
      offer_widths();
    }
    const std::uint64_t trials = trials_of(limits_, view().size());
    if (!best_ && deadline_) {
      // Nothing is in time: as early as can be, first, and no earlier than needed.
      offer(
          search_.improve(*earliest_, {.enough = Area{*deadline_ - now()}}, trials, kUntilSearch));
    }
    if (!best_) return cluster_.to_plan("DOVETAIL", std::nullopt);
    goal_.enough = enough();
    offer(
        search_.improve(*best_, goal_, trials - std::min(trials, search_.trials()), kUntilSearch));
    shrink();
    tighten_bound(1);
    return to_plan();
  }

 private:
  const ClusterView& view() const { return cluster_.view(); }
  Time now() const { return cluster_.now(); }

  SearchGoal make_goal() {
    SearchGoal goal;
    if (deadline_) {
      goal.value = SearchValue::area;
      goal.limits.end = *deadline_;
    } else if (limits_.budget) {
      goal.limits.area = *limits_.budget;
    } else if (limits_.cpu_factor) {
      const Area thrifty =
          consumed(plan_turnaround(cluster_, BottomLevel::cpar, Bound::cpar, "BL_CPAR_BD_CPAR"));
      const double most = static_cast<double>(thrifty) * *limits_.cpu_factor;
      goal.limits.area = std::max(thrifty, static_cast<Area>(most));
    }
    return goal;
  }

  std::optional<Area> budget() const {
    if (goal_.limits.area == SearchGoal{}.limits.area) return std::nullopt;
    return goal_.limits.area;
  }

  void offer(DecodedPlan plan) {
    if (!earliest_ || plan.end < earliest_->end) earliest_ = plan;
    if (!goal_.allows(plan)) return;
    if (!best_ || goal_.is_better(plan, *best_, now())) best_ = std::move(plan);
  }

  void offer_published() {
    const bool all = view().size() <= kManyTasks;
    for (const BottomLevel level :
         {BottomLevel::cpar, BottomLevel::cpa, BottomLevel::one, BottomLevel::all}) {
      for (const Bound bound : {Bound::cpar, Bound::cpa, Bound::half, Bound::all}) {
        const bool is_first = level == BottomLevel::cpar && bound == Bound::cpar;
        if (!is_first && (!all || clock_.is_over(kUntilWidths))) continue;
        const auto slots = place_forward(view(), cluster_.order(level), cluster_.bounds(bound),
                                         cluster_.calendar());
        if (slots) offer(measured(*slots, now()));
      }
    }
  }

  // Placements are by workflow and task, as the view counts them.
  static std::vector<Slot> slots_of(const Plan& plan) {
    std::vector<Slot> slots;
    for (const Placement& placement : plan.placements) {
      slots.push_back({placement.procs, placement.start, placement.end});
    }
    return slots;
  }

  // Widths that the bound likes, in the order of their bottom levels.
  void offer_widths() {
    DraftDecoder decoder = search_.make_decoder();
    const std::span<const double> shares =
        deadline_ ? std::span<const double>(kWidthDeadlines) : std::span<const double>(kWidthEnds);
    const Time least = deadline_.value_or(proof_ ? proof_->end + 1 : bound_.path_end());
    for (const double share : shares) {
      if (clock_.is_over(kUntilWidths)) return;
      const auto span = static_cast<double>(least - now());
      const auto widths = bound_.widths_for(now() + static_cast<Time>(span * share));
      DecodedPlan plan;
      if (!widths || !decoder.decode(draft_by(*widths), {}, plan)) continue;
      const bool is_dear = deadline_ || plan.area > goal_.limits.area;
      if (is_dear && plan.end <= goal_.limits.end) {
        shrinker_.shrink(plan, deadline_.value_or(plan.end));
      }
      offer(std::move(plan));
    }
  }

  DraftPlan draft_by(std::span<const Count> widths) const {
    DraftPlan draft{.order = by_decreasing_level(bottom_levels(view(), widths)),
                    .bounds = {},
                    .is_exact = std::vector<char>(widths.size(), 0)};
    for (TaskId task = 0; task < widths.size(); ++task) {
      draft.bounds.push_back({widths[task], view().time(task).duration(widths[task])});
    }
    return draft;
  }

  // What the same end, or the deadline, leaves to save.
  void shrink() {
    DecodedPlan cheaper = *best_;
    shrinker_.shrink(cheaper, deadline_.value_or(cheaper.end));
    offer(std::move(cheaper));
  }

  void tighten_bound(double share_of_time) {
    if (deadline_) {
      if (!proof_ && best_) proof_ = bound_.on_work(*deadline_);
      return;
    }
    if (!proof_) proof_ = bound_.on_end();
    const Time known = best_ ? best_->end : kForever;
    if (known == kForever || view().size() > kManyTasks) return;
    *proof_ =
        bound_.on_end(known, std::move(*proof_), [&] { return clock_.is_over(share_of_time); });
  }

  Area enough() const {
    if (!proof_) return deadline_ ? Area{0} : Area{bound_.path_end() - now()};
    const Area least = deadline_ ? proof_->work : Area{proof_->end + 1 - now()};
    return least + static_cast<Area>(static_cast<double>(least) * kNearBound);
  }

  Plan to_plan() {
    Plan plan = cluster_.to_plan("DOVETAIL", best_->slots);
    plan.search = {.seed = limits_.seed,
                   .trials = search_.trials(),
                   .is_truncated = clock_.was_over(),
                   .certificate = std::move(proof_)};
    return plan;
  }

  OneCluster& cluster_;
  const SearchLimits& limits_;
  std::optional<Time> deadline_;
  SearchClock clock_;
  SearchGoal goal_;
  LowerBound bound_;
  PlanSearch search_;
  Shrinker shrinker_;
  std::optional<Certificate> proof_;
  std::optional<DecodedPlan> best_;      // within the limits
  std::optional<DecodedPlan> earliest_;  // whether within or not
};

}  // namespace

// By tasks placed, so that large workflows do not take for ever.
std::uint64_t trials_of(const SearchLimits& limits, std::size_t tasks) {
  constexpr std::uint64_t kEndless = 1'000'000'000'000;
  if (limits.trials) return *limits.trials;
  if (!limits.effort && limits.seconds) return kEndless;
  const std::uint64_t placed = [&]() -> std::uint64_t {
    switch (limits.effort.value_or(Effort::normal)) {
      case Effort::quick:
        return 100'000;
      case Effort::normal:
        return 1'000'000;
      case Effort::thorough:
        break;
    }
    return 50'000'000;
  }();
  return std::max<std::uint64_t>(1, placed / std::max<std::size_t>(1, tasks));
}

Plan plan_anytime(PlanningContext& context, std::optional<Time> deadline,
                  std::span<const Plan> known) {
  return AnytimeSearch(context, deadline).run(known);
}

}  // namespace dovetail
