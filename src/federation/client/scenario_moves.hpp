// Which daemons can continue a scenario, and which scenarios should move to other clusters.
// Clusters keep refining their estimates by measurement; a cluster that turns out much slower or
// faster, or that joins later, changes the best distribution. A move costs the month in progress.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "federation/client/experiment.hpp"
#include "federation/client/offers.hpp"
#include "federation/client/refusals.hpp"

namespace dovetail::federation {

// By scenario and offer.
using WhoMay = std::vector<std::vector<bool>>;

// Which daemons can continue which scenario of an experiment. A month needs the one before, which
// is where it was computed, or in a folder that several clusters share.
class ScenarioHolders {
 public:
  ScenarioHolders(std::span<const Offer> offers, HeldMonths held, const Refusals& refusals)
      : offers_(offers), held_(std::move(held.last)), refusals_(refusals) {}

  Count months_at(std::size_t offer, Count scenario) const;
  // The most months that any offer's daemon holds.
  Count most_months(Count scenario) const;

  // The daemons that hold the most months of a scenario may begin it, except those that have
  // refused. If none is left, any daemon may, after the months that it holds, unless its refusal is
  // final.
  WhoMay who_may_begin(const std::vector<Count>& scenarios) const;

  // The daemon that has a scenario now, and the daemons that hold all its finished months.
  WhoMay who_may_take(const std::vector<Count>& scenarios, const ExperimentState& state) const;

 private:
  std::span<const Offer> offers_;
  std::vector<std::map<Count, Count>> held_;
  const Refusals& refusals_;
};

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
