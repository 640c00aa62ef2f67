#include "federation/client/scenario_holders.hpp"

#include <algorithm>

namespace dovetail::federation {

Reach::Reach(std::span<const Offer> offers, HeldMonths held, const Refusals& refusals)
    : offers_(offers), held_(std::move(held)), refusals_(refusals) {}

Count Reach::months_at(std::size_t offer, Count scenario) const {
  const auto found = held_[offer].find(scenario);
  return found == held_[offer].end() ? 0 : found->second;
}

Count Reach::most_months(Count scenario) const {
  Count most = 0;
  for (std::size_t i = 0; i < held_.size(); ++i) most = std::max(most, months_at(i, scenario));
  return most;
}

bool Reach::has_refused(std::size_t offer, Count scenario) const {
  const auto found = refusals_.find(scenario);
  return found != refusals_.end() && found->second.contains(offers_[offer].daemon);
}

WhoMay Reach::who_may_begin(const std::vector<Count>& scenarios) const {
  WhoMay may;
  for (const Count scenario : scenarios) {
    std::vector<bool>& one = may.emplace_back();
    for (std::size_t i = 0; i < offers_.size(); ++i) {
      one.push_back(months_at(i, scenario) == most_months(scenario) && !has_refused(i, scenario));
    }
    if (std::ranges::find(one, true) == one.end()) one.assign(offers_.size(), true);
  }
  return may;
}

WhoMay Reach::who_may_take(const std::vector<Count>& scenarios,
                           const std::vector<std::pair<std::string, Count>>& owners) const {
  WhoMay may;
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    const auto& [owner, done] = owners[s];
    std::vector<bool>& one = may.emplace_back();
    for (std::size_t i = 0; i < offers_.size(); ++i) {
      const bool has_all = months_at(i, scenarios[s]) >= done && !has_refused(i, scenarios[s]);
      one.push_back(offers_[i].daemon == owner || has_all);
    }
  }
  return may;
}

}  // namespace dovetail::federation
