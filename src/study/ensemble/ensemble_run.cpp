#include <algorithm>

#include "planners/ensemble/month_simulation.hpp"
#include "planners/ensemble/repartition.hpp"
#include "study/ensemble/ensemble_lab.hpp"
#include "study/parallel.hpp"

namespace dovetail::study {
namespace {

constexpr std::size_t kLabSizes = kLabTo - kLabFrom + 1;

Duration lab_makespan(const planning::MonthProblem& problem,
                      const planning::GroupingInfo& heuristic, planning::Dispatch dispatch) {
  return planning::simulate_months(problem, heuristic.make(problem, dispatch), dispatch).makespan;
}

}  // namespace

EnsembleLab::EnsembleLab(const EnsembleStudyOptions& options, Count months)
    : sites_(gen::reference_sites()), dispatch_(options.dispatch), months_(months) {
  makespans_.resize(sites_.size() * kLabSizes * kLabHeuristics);
  const auto measure = [&](std::size_t item) {
    const std::size_t site = item / kLabSizes;
    const auto processors = kLabFrom + static_cast<Count>(item % kLabSizes);
    const planning::MonthProblem months_there =
        problem(site, processors, kLabScenarios, months_, {});
    for (std::size_t h = 0; h < kLabHeuristics; ++h) {
      makespans_[item * kLabHeuristics + h] =
          lab_makespan(months_there, planning::groupings()[h], dispatch_);
    }
  };
  parallel_for(sites_.size() * kLabSizes, options.threads, measure, options.progress);
}

planning::MonthProblem EnsembleLab::problem(std::size_t site, Count processors, Count scenarios,
                                            Count months, const EnsembleRules& rules) const {
  EnsembleSite cut = sites_[site];
  cut.processors = processors;
  return planning::month_problem(cut, rules, scenarios, months);
}

Duration EnsembleLab::makespan(std::size_t site, Count processors, std::size_t heuristic) const {
  const std::size_t item = site * kLabSizes + static_cast<std::size_t>(processors - kLabFrom);
  return makespans_[item * kLabHeuristics + heuristic];
}

Duration EnsembleLab::constrained(std::size_t site, Count processors,
                                  const EnsembleRules& rules) const {
  return lab_makespan(problem(site, processors, kLabScenarios, months_, rules),
                      *planning::find_grouping("knapsack"), dispatch_);
}

Duration EnsembleLab::on_grid(std::size_t clusters, Count processors, Count scenarios, Count months,
                              const char* heuristic, const char* repartition) const {
  std::vector<planning::PerformanceVector> vectors;
  for (std::size_t c = 0; c < clusters; ++c) {
    vectors.push_back(planning::month_performance(problem(c, processors, scenarios, months, {}),
                                                  *planning::find_grouping(heuristic), dispatch_));
  }
  const planning::Repartition shares =
      planning::find_repartition(repartition)->make(vectors, scenarios);
  return planning::repartition_makespan(vectors, planning::counts_of(shares, clusters));
}

EnsembleStudyResult run_ensemble_study(const EnsembleStudyOptions& options) {
  EnsembleStudyResult result{.scale = options.scale,
                             .dispatch = options.dispatch,
                             .months = options.scale == StudyScale::quick ? 60 : 180};
  const EnsembleLab lab(options, result.months);
  add_single_figures(lab, result);
  add_grid_figures(lab, options, result);
  add_node_figure(lab, options, result);
  std::stable_sort(result.figures.begin(), result.figures.end(),
                   [](const auto& a, const auto& b) { return a.number < b.number; });
  std::stable_sort(result.statements.begin(), result.statements.end(),
                   [](const auto& a, const auto& b) { return a.figure < b.figure; });
  return result;
}

}  // namespace dovetail::study
