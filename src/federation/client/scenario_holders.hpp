// Who can go on with which scenario of an experiment: a month needs the one before, which is where
// it was computed, or in a folder that several clusters share.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "federation/client/offers.hpp"

namespace dovetail::federation {

// By scenario, the daemons that have refused to go on with it.
using Refusals = std::map<Count, std::set<std::string>>;
// By scenario and offer.
using WhoMay = std::vector<std::vector<bool>>;

class Reach {
 public:
  Reach(std::span<const Offer> offers, HeldMonths held, const Refusals& refusals);

  Count months_at(std::size_t offer, Count scenario) const;
  // With any of those who offer.
  Count most_months(Count scenario) const;

  // Those who have most of a scenario's months may have it, but for who has refused; when nobody is
  // left, anybody may, after the months that it has.
  WhoMay who_may_begin(const std::vector<Count>& scenarios) const;

  // Who has a scenario now, and who has all its months that are done. Owners: by scenario, the
  // daemon that has it and the months that are done.
  WhoMay who_may_take(const std::vector<Count>& scenarios,
                      const std::vector<std::pair<std::string, Count>>& owners) const;

 private:
  bool has_refused(std::size_t offer, Count scenario) const;

  std::span<const Offer> offers_;
  HeldMonths held_;
  const Refusals& refusals_;
};

}  // namespace dovetail::federation
