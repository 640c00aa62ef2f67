// Which daemons can continue which scenario of an experiment. A month needs the one before, which
// is where it was computed, or in a folder that several clusters share.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "federation/client/experiment.hpp"
#include "federation/client/offers.hpp"

namespace dovetail::federation {

// By scenario, the daemons that have refused to go on with it.
using Refusals = std::map<Count, std::set<std::string>>;
// By scenario and offer.
using WhoMay = std::vector<std::vector<bool>>;

class ScenarioHolders {
 public:
  ScenarioHolders(std::span<const Offer> offers, HeldMonths held, const Refusals& refusals);

  Count months_at(std::size_t offer, Count scenario) const;
  // The most months that any offer's daemon holds.
  Count most_months(Count scenario) const;

  // The daemons that hold the most months of a scenario may begin it, except those that have
  // refused. If none is left, any daemon may, after the months that it holds.
  WhoMay who_may_begin(const std::vector<Count>& scenarios) const;

  // The daemon that has a scenario now, and the daemons that hold all its finished months.
  WhoMay who_may_take(const std::vector<Count>& scenarios, const ExperimentState& state) const;

 private:
  bool has_refused(std::size_t offer, Count scenario) const;

  std::span<const Offer> offers_;
  HeldMonths held_;
  const Refusals& refusals_;
};

}  // namespace dovetail::federation
