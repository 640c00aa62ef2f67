#include "planners/fair/fair_search.hpp"

#include <algorithm>
#include <optional>

#include "dovetail/fairness.hpp"
#include "dovetail/metrics.hpp"
#include "planners/search/search_parts.hpp"

namespace dovetail::planning {

namespace {

constexpr std::string_view kReferencePlanner = "MAGS";

// It plans every workflow once for every number of processors.
constexpr std::string_view kSlowPlanner = "CAFM_K_SHELVES";

class FairSearch {
 public:
  FairSearch(PlanningContext& context, std::optional<Time> deadline)
      : context_(context),
        end_(deadline.value_or(kForever)),
        parts_(context),
        trials_(trials_of(parts_.limits, parts_.size())) {}

  Plan run(std::span<const Plan> known) {
    const std::vector<Plan> published = published_plans(known);
    const Plan* reference = reference_of(published);
    if (reference == nullptr) return parts_.cluster.to_plan(kName, std::nullopt);
    if (is_in_time(*reference)) return fairer(*reference, published);
    const Plan sooner = made_sooner(*reference, published);
    return is_in_time(sooner) ? fairer(sooner, published) : sooner;
  }

 private:
  bool is_in_time(const Plan& plan) const {
    return plan.feasible && parts_.now() + makespan(plan) <= end_;
  }

  // The reference first, then the others as time allows.
  std::vector<Plan> published_plans(std::span<const Plan> known) {
    std::vector<Plan> plans;
    const auto take = [&](const PlannerInfo& planner) {
      const auto same = std::ranges::find(known, planner.name, &Plan::algorithm);
      if (same != known.end() && same->feasible) {
        plans.push_back(*same);
      } else if (planner.name == kReferencePlanner || plans.empty() || !plans.front().feasible ||
                 has_time_for(planner)) {
        plans.push_back(plan_by(planner, context_, std::nullopt));
      }
    };
    take(*find_planner(kReferencePlanner));
    for (const PlannerInfo* planner : planners_for(Goal::fair, context_.problem())) {
      if (planner->name != kReferencePlanner) take(*planner);
    }
    return plans;
  }

  bool has_time_for(const PlannerInfo& planner) const {
    if (parts_.limits.seconds && planner.name == kSlowPlanner) return false;
    return !parts_.clock.is_over(kUntilPublished);
  }

  // One that meets the deadline if there is one; MAGS's plan before the fairest.
  const Plan* reference_of(const std::vector<Plan>& published) const {
    if (is_in_time(published.front())) return &published.front();
    std::vector<Plan> others = published;
    for (Plan& plan : others) plan.feasible = is_in_time(plan);
    std::size_t fairest = fairest_plan(context_.problem(), others);
    if (!others[fairest].feasible) {
      if (published.front().feasible) return &published.front();
      fairest = fairest_plan(context_.problem(), published);
    }
    return published[fairest].feasible ? &published[fairest] : nullptr;
  }

  // The budget is at least what the reference consumes.
  Area budget(const Plan& reference) const {
    const Area least = consumed(reference);
    if (parts_.limits.budget) return std::max(least, *parts_.limits.budget);
    return allowed_area(parts_.limits, least);
  }

  std::uint64_t trials_left() const { return trials_ - std::min(trials_, parts_.search.trials()); }

  // The best of the plans that the goal allows, which must include the reference.
  DecodedPlan best_of(const std::vector<Plan>& published, const Plan& reference,
                      const SearchGoal& goal) const {
    DecodedPlan best = decoded(reference, goal);
    for (const Plan& plan : published) {
      if (!plan.feasible) continue;
      DecodedPlan other = decoded(plan, goal);
      if (goal.allows(other) && goal.is_better(other, best, parts_.now())) best = std::move(other);
    }
    return best;
  }

  DecodedPlan decoded(const Plan& plan, const SearchGoal& goal) const {
    DecodedPlan result = parts_.decoded(plan);
    if (goal.scale != nullptr) goal.scale->measure(result);
    return result;
  }

  // Searches for an early enough end, regardless of fairness. Apart from when to stop, nothing
  // depends on the deadline, so an earliest plan that came too late is found again when its end is
  // requested.
  Plan made_sooner(const Plan& reference, const std::vector<Plan>& published) {
    const SearchGoal goal{.limits = {.area = budget(reference)},
                          .enough = Area{end_ - parts_.now()}};
    DecodedPlan best = best_of(published, reference, goal);
    const auto ends = width_ends_after(parts_.now(), parts_.bound.path_end());
    parts_.for_each_width(ends, kUntilPublished, [&](DecodedPlan plan) {
      if (plan.area > goal.limits.area) parts_.shrinker.shrink(plan, plan.end);
      if (goal.allows(plan) && goal.is_better(plan, best, parts_.now())) best = std::move(plan);
    });
    // Keeps some trials to make the plan fair.
    return to_plan(parts_.search.improve(best, goal, trials_ - trials_ / 4, kUntilSooner),
                   reference);
  }

  Plan fairer(const Plan& reference, const std::vector<Plan>& published) {
    const FairScale scale(context_.problem(), reference, parts_.search.make_decoder());
    const SearchGoal goal{.value = SearchValue::fairness,
                          .limits = {.end = end_, .area = budget(reference)},
                          .enough = Area{scale.least()},
                          .scale = &scale};
    DecodedPlan best = best_of(published, reference, goal);
    best = parts_.search.improve(best, goal, trials_left(), kUntilShrinking);
    shrink(best, scale);
    return to_plan(best, reference);
  }

  // Saves CPU time that the ends of the workflows leave unused.
  void shrink(DecodedPlan& plan, const FairScale& scale) {
    const std::vector<Time> ends = scale.ends_of(plan);
    std::vector<Time> dues;
    for (TaskId task = 0; task < plan.slots.size(); ++task) {
      dues.push_back(ends[scale.workflow_of(task)]);
    }
    parts_.shrinker.shrink(plan, dues, [&] { return parts_.clock.is_over(); });
  }

  Plan to_plan(const DecodedPlan& best, const Plan& reference) const {
    Plan plan = parts_.cluster.to_plan(kName, best.slots);
    plan.alone = reference.alone;
    plan.search = parts_.record();
    return plan;
  }

  static constexpr std::string_view kName = "DOVETAIL_FAIR";

  // When the parts of a search must be over, as shares of its time.
  static constexpr double kUntilPublished = 0.1;
  static constexpr double kUntilSooner = 0.5;
  static constexpr double kUntilShrinking = 0.98;

  PlanningContext& context_;
  Time end_;  // no plan may end later
  SearchParts parts_;
  std::uint64_t trials_;
};

}  // namespace

Plan plan_fair_search(PlanningContext& context, std::optional<Time> deadline,
                      std::span<const Plan> known) {
  return FairSearch(context, deadline).run(known);
}

}  // namespace dovetail::planning
