// Runs the turn-around study: all sixteen plans of every instance, then sums.
#include "dovetail/metrics.hpp"
#include "planners/list/turnaround.hpp"
#include "study/turnaround/turnaround_study.hpp"
#include "study/turnaround/turnaround_tables.hpp"

namespace dovetail {
namespace {

// All sixteen plans of one instance.
ScenarioSums plan_instance(const Workflow& workflow, const Platform& platform) {
  const Problem problem({workflow}, platform);
  PlanningContext context(problem);
  OneCluster& cluster = context.shared<OneCluster>();
  ScenarioSums sums{.instances = 1};
  for (std::size_t level = 0; level < kBottomLevelNames.size(); ++level) {
    for (std::size_t bound = 0; bound < kBoundNames.size(); ++bound) {
      const Plan plan =
          plan_turnaround(cluster, static_cast<BottomLevel>(level), static_cast<Bound>(bound));
      const std::size_t algorithm = algorithm_number(level, bound);
      sums.turnaround[algorithm] = makespan(plan);
      sums.cpu[algorithm] = static_cast<std::int64_t>(consumed(plan));
    }
  }
  add_excess(bounds_of(sums.turnaround), sums.turnaround_excess, sums.turnaround_best);
  add_excess(bounds_of(sums.cpu), sums.cpu_excess, sums.cpu_best);
  return sums;
}

}  // namespace

void ScenarioSums::add(const ScenarioSums& other) {
  instances += other.instances;
  add_each(turnaround, other.turnaround);
  add_each(cpu, other.cpu);
  add_each(turnaround_excess, other.turnaround_excess);
  add_each(cpu_excess, other.cpu_excess);
  add_each(turnaround_best, other.turnaround_best);
  add_each(cpu_best, other.cpu_best);
}

TurnaroundStudyResult run_turnaround_study(const TurnaroundStudyOptions& options) {
  const Campaign campaign(options, {.size = {.workflows = 2, .start_times = 5, .taggings = 1}});
  TurnaroundStudyResult result{campaign.head()};
  result.scenarios = campaign.run<ScenarioSums>(
      [](const Workflow& workflow, const Platform& platform, const ReservationSpec&) {
        return plan_instance(workflow, platform);
      });
  result.bounds = bound_tables(result);
  result.bottom_levels = bottom_level_tables(result);
  if (options.timing) {
    result.timing = measure_run_times(campaign, kBoundNames, Goal::turnaround);
  }
  return result;
}

}  // namespace dovetail
