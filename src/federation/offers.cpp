#include "federation/offers.hpp"

#include <algorithm>

#include "dovetail/time.hpp"
#include "federation/estimate.hpp"

namespace dovetail::federation {

namespace {

// Of the time that the agent has, for the way there and back.
constexpr double kTravelSeconds = 5;

Offer offer_of(const Answer& answer, Count scenarios) {
  const Json& reply = answer.reply;
  Offer offer{.daemon = answer.daemon,
              .url = answer.url,
              .makespans = reply.at("makespans").get<std::vector<double>>(),
              .groups = reply.at("groups").get<std::vector<std::vector<Count>>>(),
              .at_no_cost = reply.at("at_no_cost"),
              .valid_until = reply.at("valid_until")};
  if (offer.makespans.size() != static_cast<std::size_t>(scenarios) ||
      offer.groups.size() != offer.makespans.size()) {
    throw InputError("a vector of another length");
  }
  return offer;
}

PerformanceVector vector_of(const Offer& offer) {
  const auto measure = [&offer](Count scenarios) {
    const double seconds = offer.makespans.at(static_cast<std::size_t>(scenarios - 1));
    return seconds >= kNeverSeconds ? kForever : time_ceil(seconds);
  };
  return PerformanceVector({.measure = measure,
                            .lower_bound = measure,
                            .most = static_cast<Count>(offer.makespans.size()),
                            .flat = offer.at_no_cost});
}

std::vector<PerformanceVector> vectors_of(std::span<const Offer> offers) {
  std::vector<PerformanceVector> vectors;
  for (const Offer& offer : offers) vectors.push_back(vector_of(offer));
  return vectors;
}

}  // namespace

Offers ask_for_offers(const Caller& caller, const std::string& agent, const OfferQuestion& question,
                      Duration deadline) {
  const bool is_workflow = !question.workflow.is_null();
  const Json request = is_workflow ? Json{{"workflow", question.workflow}}
                                   : Json{{"service", question.service},
                                          {"parameters", question.parameters},
                                          {"scenarios", question.scenarios},
                                          {"months", question.months},
                                          {"without", question.without}};
  const Json reply = caller.post({agent, Role::agent}, "/v1/find",
                                 {{"operation", is_workflow ? "predict" : "estimate"},
                                  {"request", request},
                                  {"deadline_ms", deadline}},
                                 to_seconds(deadline) + kTravelSeconds);
  Offers offers;
  try {
    offers.others = answers_of(reply);
  } catch (const Json::exception& error) {
    throw NoAnswer(agent + ": an answer without sense: " + error.what());
  }
  for (const Answer& answer : offers.others.answers) {
    try {
      offers.offers.push_back(offer_of(answer, question.scenarios));
    } catch (const std::exception& error) {
      offers.others.refused.push_back({answer.daemon, error.what()});
    }
  }
  std::ranges::sort(offers.offers, {}, &Offer::daemon);
  return offers;
}

std::vector<Count> share_out(std::span<const Offer> offers, Count scenarios,
                             std::string_view repartition) {
  std::vector<PerformanceVector> vectors = vectors_of(offers);
  return counts_of(find_repartition(repartition)->make(vectors, scenarios), offers.size());
}

double makespan_of(std::span<const Offer> offers, std::span<const Count> counts) {
  double last = 0;
  for (std::size_t i = 0; i < offers.size(); ++i) {
    if (counts[i] > 0) {
      last = std::max(last, offers[i].makespans.at(static_cast<std::size_t>(counts[i] - 1)));
    }
  }
  return last;
}

}  // namespace dovetail::federation
