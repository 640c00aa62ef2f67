#include "planners/list/tightest.hpp"

#include <algorithm>
#include <utility>

#include "planners/list/one_cluster.hpp"

namespace dovetail::planning {

namespace {

constexpr Duration kPrecision = 1000;

}  // namespace

Duration shortest_makespan(PlanningContext& context) {
  return context.shared<OneCluster>().shortest_makespan();
}

Plan tightest_plan(const PlannerInfo& planner, PlanningContext& context) {
  const Time now = context.problem().now();
  const auto try_span = [&](Duration span) { return plan_by(planner, context, now + span); };
  const Duration ample = context.shared<OneCluster>().ample_makespan();
  Duration missed = 0;
  Duration met = shortest_makespan(context);
  Plan best = try_span(met);
  while (!best.feasible) {
    if (met >= ample) {
      best.deadline.reset();
      return best;
    }
    missed = met;
    met += std::max<Duration>(1, met / 20);
    best = try_span(met);
  }
  if (missed == 0) return best;
  while (met - missed > kPrecision) {
    const Duration middle = missed + (met - missed) / 2;
    Plan plan = try_span(middle);
    if (plan.feasible) {
      best = std::move(plan);
      met = middle;
    } else {
      missed = middle;
    }
  }
  return best;
}

std::vector<Plan> tightest_plans(PlanningContext& context) {
  std::vector<Plan> plans;
  for (const PlannerInfo* planner : planners_for(Goal::deadline, context.problem())) {
    plans.push_back(tightest_plan(*planner, context));
  }
  return plans;
}

}  // namespace dovetail::planning
