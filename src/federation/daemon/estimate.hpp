// How long a cluster takes for 1, 2, ... scenarios more than it has.
#pragma once

#include <vector>

#include "dovetail/ensemble.hpp"

namespace dovetail::federation {

// Longer than anything takes.
inline constexpr double kNeverSeconds = 1e15;

struct MonthEstimate {
  std::vector<double> makespans = {};           // seconds; for 1, 2, ... scenarios; never falls
  std::vector<std::vector<Count>> groups = {};  // of each of them
  Count at_no_cost = 0;                         // scenarios that take as long as one
};

// What is there already is counted as scenarios of as many months. A cluster on which no group fits
// takes for ever: kNeverSeconds.
MonthEstimate estimate_months(const EnsembleSite& site, const EnsembleRules& rules, Count active,
                              Count scenarios, Count months);

// How long all of that takes, about: of very many months only some are simulated.
double seconds_of_load(const EnsembleSite& site, const EnsembleRules& rules, Count scenarios,
                       Count months);

}  // namespace dovetail::federation
