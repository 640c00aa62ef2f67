// What the clusters of a federation offer for an experiment, and who gets what.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "federation/gather.hpp"
#include "planners/repartition.hpp"

namespace dovetail::federation {

// A daemon's estimate.
struct Offer {
  std::string daemon;
  std::string url;
  std::vector<double> makespans;                // seconds, for 1, 2, ... scenarios
  std::vector<std::vector<Count>> groups = {};  // of each of them
  Count at_no_cost = 0;
  exec::WallTime valid_until = 0;
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

// Scenarios for each offer, by the repartition of that name: "greedy", "round-robin".
std::vector<Count> share_out(std::span<const Offer> offers, Count scenarios,
                             std::string_view repartition);

// The end of the last cluster, in seconds.
double makespan_of(std::span<const Offer> offers, std::span<const Count> counts);

}  // namespace dovetail::federation
