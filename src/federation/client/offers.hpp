// What the clusters of a federation offer for an experiment, and who gets what.
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
  std::vector<std::vector<Count>> groups = {};  // of each of them
  Count at_no_cost = 0;
  run::WallTime valid_until = 0;
};

struct Offers {
  std::vector<Offer> offers = {};  // by name
  Answers others = {};             // who refused or was late; its answers are not used
};

// Asks all daemons through the agent. Throws NoAnswer or Denied.
struct OfferQuestion {
  std::string service;
  Count scenarios = 1;
  Count months = 1;
  std::vector<std::string> without = {};  // requests of ours that are not to be counted
  Json parameters = Json::object();
  Json workflow = nullptr;  // instead of months
};
Offers ask_for_offers(const Caller& caller, const std::string& agent, const OfferQuestion& question,
                      Duration deadline);

// Why there is no offer, in one line: throws InputError when all have said no for good, else
// ExecutionError.
[[noreturn]] void fail_without_offers(const std::string& agent, const OfferQuestion& question,
                                      const Answers& others);

// Whether everybody who was asked has said no, and would say so again.
bool is_final(const Answers& others);

// The last month of each scenario that is with each of those who offer. Who does not say has none.
using HeldMonths = std::vector<std::map<Count, Count>>;  // by offer, by number of the scenario
HeldMonths ask_who_has(const Caller& caller, std::span<const Offer> offers,
                       const std::string& experiment, const std::vector<Count>& scenarios,
                       Duration deadline);

// Scenarios for each offer, by the repartition of that name: "greedy", "round-robin".
std::vector<Count> share_out(std::span<const Offer> offers, Count scenarios,
                             std::string_view repartition);

// The offer that gets each scenario, where not everybody may: each in turn where it ends earliest,
// those with the fewest places first; by the repartition of that name where everybody may.
// May[s][i]: offer i may have scenario s; some offer must.
std::vector<std::size_t> share_out_among(std::span<const Offer> offers,
                                         const std::vector<std::vector<bool>>& may,
                                         std::string_view repartition);

// Scenarios of each offer.
std::vector<Count> counts_of_places(const std::vector<std::size_t>& places, std::size_t offers);

// The end of the last cluster, in seconds.
double makespan_of(std::span<const Offer> offers, std::span<const Count> counts);

}  // namespace dovetail::federation
