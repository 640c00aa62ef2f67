// The offers of a federation's clusters for an experiment, and how the scenarios are shared out.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "federation/agent/gather.hpp"
#include "planners/ensemble/repartition.hpp"

namespace dovetail::federation {

// A daemon's estimate.
struct Offer {
  std::string daemon;
  std::string url;
  std::vector<double> makespans;                // seconds, for 1, 2, ... scenarios
  std::vector<std::vector<Count>> groups = {};  // for each number of scenarios
  Count at_no_cost = 0;
  run::WallTime valid_until = 0;
};

struct Offers {
  std::vector<Offer> offers = {};  // by name
  Answers others = {};             // refused and late daemons; its answers are unused
};

// Asks all daemons through the agent. Throws NoAnswer or Denied.
struct OfferQuestion {
  std::string service;
  Count scenarios = 1;
  Count months = 1;
  std::vector<std::string> without = {};  // our own requests, which estimates should ignore
  Json parameters = Json::object();
  Json workflow = nullptr;  // instead of months
};
Offers ask_for_offers(const Caller& caller, const std::string& agent, const OfferQuestion& question,
                      Duration deadline);

// Reports in one line why there is no offer: throws InputError when all have refused for good, else
// ExecutionError.
[[noreturn]] void fail_without_offers(const std::string& agent, const OfferQuestion& question,
                                      const Answers& others);

// A line for each daemon that made no offer, and why.
std::vector<std::string> missing_offers(const Answers& others);

// Whether every daemon asked has refused and would refuse again.
bool is_final(const Answers& others);

// Whether one of the daemons that made no offer may make one later.
bool may_offer_later(const Answers& others);

// Asks which months of an experiment the daemons hold.
struct HeldQuestion {
  std::string experiment;
  std::vector<Count> scenarios;
  Count months = 1;  // of each scenario
};
struct HeldMonths {
  std::vector<std::map<Count, Count>>
      last;                                // by offer, then scenario: the last month that is there
  std::vector<std::string> troubles = {};  // a line for each daemon that answers nonsense
};
// A daemon that does not say, or not in a way that can be understood, has none.
HeldMonths ask_who_has(const Caller& caller, std::span<const Offer> offers,
                       const HeldQuestion& question, Duration deadline);

// The number of scenarios for each offer, by the repartition of that name: "greedy", "round-robin".
std::vector<Count> share_out(std::span<const Offer> offers, Count scenarios,
                             std::string_view repartition);

// The offer that gets each scenario, when some may not have all scenarios. Each scenario in turn
// goes where it ends earliest; those with the fewest possible offers go first. If every offer may
// have every scenario, the named repartition decides. May[s][i]: offer i may have scenario s; at
// least one offer must.
std::vector<std::size_t> share_out_among(std::span<const Offer> offers,
                                         const std::vector<std::vector<bool>>& may,
                                         std::string_view repartition);

// The number of scenarios of each offer.
std::vector<Count> counts_of_places(const std::vector<std::size_t>& places, std::size_t offers);

// "scenarios by cluster: azur 2 sol 1; 8.0 s, round robin 9.5 s", for the offer of each scenario.
std::string repartition_text(std::span<const Offer> offers, const std::vector<std::size_t>& places);

// The end of the last cluster, in seconds.
double makespan_of(std::span<const Offer> offers, std::span<const Count> counts);

}  // namespace dovetail::federation
