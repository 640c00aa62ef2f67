#include "federation/client/scenario_holders.hpp"

#include <algorithm>

namespace dovetail::federation {

ScenarioHolders::ScenarioHolders(std::span<const Offer> offers, HeldMonths held,
                                 const Refusals& refusals)
    : offers_(offers), held_(std::move(held)), refusals_(refusals) {}

Count ScenarioHolders::months_at(std::size_t offer, Count scenario) const {
  const auto found = held_[offer].find(scenario);
  return found == held_[offer].end() ? 0 : found->second;
}

Count ScenarioHolders::most_months(Count scenario) const {
  Count most = 0;
  for (std::size_t i = 0; i < held_.size(); ++i) most = std::max(most, months_at(i, scenario));
  return most;
}

bool ScenarioHolders::has_refused(std::size_t offer, Count scenario) const {
  const auto found = refusals_.find(scenario);
  return found != refusals_.end() && found->second.contains(offers_[offer].daemon);
}

WhoMay ScenarioHolders::who_may_begin(const std::vector<Count>& scenarios) const {
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

WhoMay ScenarioHolders::who_may_take(const std::vector<Count>& scenarios,
                                     const ExperimentState& state) const {
  WhoMay may;
  for (const Count scenario : scenarios) {
    const Count done = state.scenarios().at(scenario).done;
    std::vector<bool>& one = may.emplace_back();
    for (std::size_t i = 0; i < offers_.size(); ++i) {
      const bool has_all = months_at(i, scenario) >= done && !has_refused(i, scenario);
      one.push_back(offers_[i].daemon == state.daemon_of(scenario) || has_all);
    }
  }
  return may;
}

}  // namespace dovetail::federation
