// Decides which scenarios of an experiment should move to other clusters. Clusters keep refining
// their estimates by measurement; a cluster that turns out much slower or faster, or that joins
// later, changes the best distribution. A move costs the month in progress.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "federation/client/scenario_holders.hpp"

namespace dovetail::federation {

struct MoveRules {
  std::string repartition;
  double worth = 1;              // move if the rest then takes less than this share of its time
  const std::set<Count>& fixed;  // scenarios that stay where they are
};

struct ScenarioMoves {
  std::vector<Count> scenarios = {};  // to be released by their daemons
  double seconds_before = 0;          // until the last cluster ends
  double seconds_after = 0;
};

// The moves that make the experiment end earlier; none when the gain is too small, or when a daemon
// that has one of these scenarios made no offer. Scenarios with the most months left move first,
// and those in their last month stay. Calls `ask_holders` only if all daemons made an offer.
ScenarioMoves find_moves(const ExperimentState& state, const std::vector<Count>& scenarios,
                         const std::vector<Offer>& offers,
                         const std::function<ScenarioHolders()>& ask_holders,
                         const MoveRules& rules);

}  // namespace dovetail::federation
