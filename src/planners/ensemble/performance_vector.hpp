// How long one cluster takes for 1, 2, ... scenarios: what a repartition over clusters looks at.
//
//   PerformanceVector vector = month_performance(problem, *find_grouping("best"),
//   Dispatch::rotate); vector.at(3);   // the makespan of three scenarios there
//
// Source: Caniou et al. 2009, section 4.3. Values are computed when they are first asked for. A
// heuristic may take longer for k scenarios than for more of them; since a schedule of more
// scenarios contains one of k, at(k) is the least of measured(k), measured(k + 1), ... Values that
// a lower bound rules out are not computed. With more than kMostInTurn scenarios such dips are
// ignored.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "planners/ensemble/grouping.hpp"

namespace dovetail::planning {

// Up to this number of scenarios, each of them is looked at.
inline constexpr Count kMostInTurn = 2000;

class PerformanceVector {
 public:
  struct VectorSource {
    // The makespan of a number of scenarios; kForever: never.
    std::function<Duration(Count scenarios)> measure;
    // No heuristic takes less; never falls with the scenarios.
    std::function<Duration(Count scenarios)> lower_bound;
    Count most = 1;  // scenarios
    Count flat = 0;  // up to this number take as long as one does, and no number takes less
  };

  explicit PerformanceVector(VectorSource source);

  Duration measured(Count scenarios);

  // Never falls with up to kMostInTurn scenarios.
  Duration at(Count scenarios) { return measured(planned_for(scenarios)); }

  // The number of scenarios whose schedule serves for this number; the same number unless more of
  // them take less time.
  Count planned_for(Count scenarios);

  Count most() const { return source_.most; }

 private:
  VectorSource source_;
  std::vector<std::optional<Duration>> values_;
};

// Scenarios that a cluster takes at the price of one: the largest number for which there are groups
// of the fastest size and enough processors for their post tasks (equation 9).
Count scenarios_at_no_cost(const MonthProblem& problem);

// No grouping takes less for this number of scenarios: what the processors could do if groups of
// the most efficient size filled them.
Duration bound_by_work(const MonthProblem& problem, Count scenarios);

// Of problem.scenarios and fewer, each with its own grouping by the heuristic, simulated.
PerformanceVector month_performance(const MonthProblem& problem, const GroupingInfo& heuristic,
                                    Dispatch dispatch);

}  // namespace dovetail::planning
