// The data for the figures of the ensemble study: makespans on the reference clusters, cut to any
// number of processors.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gen/climate.hpp"
#include "planners/ensemble/grouping.hpp"
#include "planners/ensemble/performance_vector.hpp"
#include "study/ensemble/ensemble_study.hpp"

namespace dovetail::study {

inline constexpr Count kLabScenarios = 10;
inline constexpr Count kLabFrom = 11;  // processors
inline constexpr Count kLabTo = 120;
inline constexpr std::size_t kLabHeuristics = 4;  // basic, imp1, imp2, knapsack

class EnsembleLab {
 public:
  EnsembleLab(const EnsembleStudyOptions& options, Count months);

  const std::vector<EnsembleSite>& sites() const { return sites_; }
  Count months() const { return months_; }

  // Ten scenarios on one cluster, by cluster, processors - kLabFrom, heuristic.
  Duration makespan(std::size_t site, Count processors, std::size_t heuristic) const;

  // The same under other rules.
  Duration constrained(std::size_t site, Count processors, const EnsembleRules& rules) const;

  // The first `clusters` clusters with this many processors each.
  Duration on_grid(std::size_t clusters, Count processors, Count scenarios, Count months,
                   const char* heuristic, const char* repartition) const;

 private:
  planning::MonthProblem problem(std::size_t site, Count processors, Count scenarios, Count months,
                                 const EnsembleRules& rules) const;

  std::vector<EnsembleSite> sites_;
  planning::Dispatch dispatch_;
  Count months_;
  std::vector<Duration> makespans_;
};

// Adds the figures, and the statements about them.
void add_single_figures(const EnsembleLab& lab, EnsembleStudyResult& result);
void add_grid_figures(const EnsembleLab& lab, const EnsembleStudyOptions& options,
                      EnsembleStudyResult& result);
void add_node_figure(const EnsembleLab& lab, const EnsembleStudyOptions& options,
                     EnsembleStudyResult& result);

// In per cent of the reference.
inline double gain_percent(Duration reference, Duration candidate) {
  return 100.0 * static_cast<double>(reference - candidate) / static_cast<double>(reference);
}

}  // namespace dovetail::study
