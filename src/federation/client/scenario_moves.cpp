#include "federation/client/scenario_moves.hpp"

#include <algorithm>

namespace dovetail::federation {

Count ScenarioHolders::months_at(std::size_t offer, Count scenario) const {
  const auto found = held_[offer].find(scenario);
  return found == held_[offer].end() ? 0 : found->second;
}

Count ScenarioHolders::most_months(Count scenario) const {
  Count most = 0;
  for (std::size_t i = 0; i < held_.size(); ++i) most = std::max(most, months_at(i, scenario));
  return most;
}

WhoMay ScenarioHolders::who_may_begin(const std::vector<Count>& scenarios) const {
  WhoMay may;
  for (const Count scenario : scenarios) {
    std::vector<bool>& one = may.emplace_back();
    for (std::size_t i = 0; i < offers_.size(); ++i) {
      one.push_back(months_at(i, scenario) == most_months(scenario) &&
                    !refusals_.has(scenario, offers_[i].daemon));
    }
    if (std::ranges::find(one, true) != one.end()) continue;
    for (std::size_t i = 0; i < offers_.size(); ++i) {
      one[i] = !refusals_.is_final(scenario, offers_[i].daemon);
    }
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
      const bool has_all =
          months_at(i, scenario) >= done && !refusals_.has(scenario, offers_[i].daemon);
      one.push_back(offers_[i].daemon == state.daemon_of(scenario) || has_all);
    }
  }
  return may;
}

ScenarioMoves find_moves(const ExperimentState& state, const std::vector<Count>& scenarios,
                         const std::vector<Offer>& offers,
                         const std::function<ScenarioHolders()>& ask_holders,
                         const MoveRules& rules) {
  std::vector<Count> current(offers.size(), 0);
  for (const Count number : scenarios) {
    const auto its = std::ranges::find(offers, state.daemon_of(number), &Offer::daemon);
    if (its == offers.end()) return {};
    ++current[static_cast<std::size_t>(its - offers.begin())];
  }
  const WhoMay may = ask_holders().who_may_take(scenarios, state);
  const std::vector<Count> better =
      counts_of_places(share_out_among(offers, may, rules.repartition), offers.size());
  const double before = makespan_of(offers, current);
  const double after = makespan_of(offers, better);
  ScenarioMoves moves{.seconds_before = before, .seconds_after = after};
  const double month_in_progress = before / state.months_left(scenarios);
  if (after >= rules.worth * before || after + month_in_progress >= before) return moves;
  const auto done = [&](Count number) { return state.scenarios().at(number).done; };
  for (std::size_t i = 0; i < offers.size(); ++i) {
    if (current[i] <= better[i]) continue;
    std::vector<Count> movable;
    for (std::size_t s = 0; s < scenarios.size(); ++s) {
      const Count number = scenarios[s];
      const bool is_near_its_end = done(number) + 1 >= state.file().months;
      if (state.daemon_of(number) == offers[i].daemon && !is_near_its_end &&
          !rules.fixed.contains(number) && std::ranges::count(may[s], true) > 1) {
        movable.push_back(number);
      }
    }
    std::ranges::stable_sort(movable, {}, done);
    movable.resize(std::min(movable.size(), static_cast<std::size_t>(current[i] - better[i])));
    moves.scenarios.insert(moves.scenarios.end(), movable.begin(), movable.end());
  }
  return moves;
}

}  // namespace dovetail::federation
