#include "planners/fair_search.hpp"

#include <algorithm>
#include <optional>

#include "dovetail/fairness.hpp"
#include "dovetail/metrics.hpp"
#include "planners/one_cluster.hpp"
#include "planners/plan_search.hpp"
#include "planners/shrink.hpp"

namespace dovetail {

namespace {

constexpr std::string_view kReferencePlanner = "MAGS";

// It plans every workflow once for every number of processors.
constexpr std::string_view kSlowPlanner = "CAFM_K_SHELVES";

// Until when the parts of a search are to be over, as shares of its time.
constexpr double kUntilPublished = 0.1;
constexpr double kUntilShrinking = 0.98;

class FairSearch {
 public:
  explicit FairSearch(PlanningContext& context)
      : context_(context),
        cluster_(context.shared<OneCluster>()),
        limits_(context.options().search),
        clock_(limits_),
        search_(cluster_.view(), cluster_.calendar(), cluster_.now(), limits_, clock_) {}

  Plan run(std::span<const Plan> known) {
    const std::vector<Plan> published = published_plans(known);
    const Plan* reference = reference_of(published);
    if (reference == nullptr) return cluster_.to_plan("DOVETAIL_FAIR", std::nullopt);
    const FairScale scale(context_.problem(), *reference, search_.make_decoder());
    const SearchGoal goal{.value = SearchValue::fairness,
                          .limits = {.area = budget(consumed(*reference))},
                          .enough = Area{scale.least()},
                          .scale = &scale};
    std::optional<DecodedPlan> best;
    for (const Plan& plan : published) {
      if (!plan.feasible) continue;
      DecodedPlan start = decoded(plan, scale);
      if (!goal.allows(start)) continue;
      if (!best || goal.is_better(start, *best, cluster_.now())) best = std::move(start);
    }
    const std::uint64_t trials = trials_of(limits_, cluster_.view().size());
    DecodedPlan found = search_.improve(*best, goal, trials, kUntilShrinking);
    shrink(found, scale);
    return to_plan(found, *reference);
  }

 private:
  // The reference first; all others as far as there is time.
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
    if (limits_.seconds && planner.name == kSlowPlanner) return false;
    return !clock_.is_over(kUntilPublished);
  }

  const Plan* reference_of(const std::vector<Plan>& published) const {
    if (published.front().feasible) return &published.front();
    const Plan& fairest = published[fairest_plan(context_.problem(), published)];
    return fairest.feasible ? &fairest : nullptr;
  }

  // What the reference consumes is always within.
  Area budget(Area reference) const {
    if (limits_.budget) return std::max(reference, *limits_.budget);
    if (!limits_.cpu_factor) return DecodeLimits{}.area;
    const double most = static_cast<double>(reference) * *limits_.cpu_factor;
    return std::max(reference, static_cast<Area>(most));
  }

  DecodedPlan decoded(const Plan& plan, const FairScale& scale) const {
    DecodedPlan result = measured(slots_of(plan), cluster_.now());
    scale.measure(result);
    return result;
  }

  // What the ends of the workflows leave to save.
  void shrink(DecodedPlan& plan, const FairScale& scale) const {
    const std::vector<Time> ends = scale.ends_of(plan);
    std::vector<Time> dues;
    for (TaskId task = 0; task < plan.slots.size(); ++task) {
      dues.push_back(ends[scale.workflow_of(task)]);
    }
    Shrinker(cluster_.view(), cluster_.calendar(), cluster_.now()).shrink(plan, dues);
  }

  Plan to_plan(const DecodedPlan& best, const Plan& reference) const {
    Plan plan = cluster_.to_plan("DOVETAIL_FAIR", best.slots);
    plan.alone = reference.alone;
    plan.search = {
        .seed = limits_.seed, .trials = search_.trials(), .is_truncated = clock_.was_over()};
    return plan;
  }

  PlanningContext& context_;
  OneCluster& cluster_;
  const SearchLimits& limits_;
  SearchClock clock_;
  PlanSearch search_;
};

}  // namespace

Plan plan_fair_search(PlanningContext& context, std::span<const Plan> known) {
  return FairSearch(context).run(known);
}

}  // namespace dovetail
