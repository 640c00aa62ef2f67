#include "federation/client/offers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "dovetail/time.hpp"
#include "federation/daemon/estimate.hpp"

namespace dovetail::federation {

namespace {

// Allowed for the way there and back, on top of the agent's own time.
constexpr double kTravelSeconds = 5;

Offer offer_of(const ClusterAnswer& answer, Count scenarios) {
  const Json& reply = answer.reply;
  Offer offer{.daemon = answer.daemon,
              .url = answer.url,
              .makespans = reply.at("makespans").get<std::vector<double>>(),
              .groups = reply.at("groups").get<std::vector<std::vector<Count>>>(),
              .at_no_cost = reply.at("at_no_cost"),
              .valid_until = reply.at("valid_until")};
  if (offer.makespans.size() != static_cast<std::size_t>(scenarios) ||
      offer.groups.size() != offer.makespans.size()) {
    throw InputError("its estimate has the wrong length");
  }
  return offer;
}

planning::PerformanceVector vector_of(const Offer& offer) {
  const auto measure = [&offer](Count scenarios) {
    const double seconds = offer.makespans.at(static_cast<std::size_t>(scenarios - 1));
    return seconds >= kNeverSeconds ? kForever : time_ceil(seconds);
  };
  return planning::PerformanceVector({.measure = measure,
                                      .lower_bound = measure,
                                      .most = static_cast<Count>(offer.makespans.size()),
                                      .flat = offer.at_no_cost});
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
    throw NoAnswer(agent + ": the answer cannot be understood: " + error.what());
  }
  for (const ClusterAnswer& answer : offers.others.answers) {
    try {
      offers.offers.push_back(offer_of(answer, question.scenarios));
    } catch (const std::exception& error) {
      offers.others.refused.push_back({answer.daemon, error.what()});
    }
  }
  std::ranges::sort(offers.offers, {}, &Offer::daemon);
  return offers;
}

std::vector<std::string> missing_offers(const Answers& others) {
  std::vector<std::string> lines;
  for (const auto& refused : others.refused) {
    lines.push_back(refused.name + " declined: " + refused.error);
  }
  for (const std::string& late : others.late) lines.push_back(late + " did not answer in time");
  return lines;
}

bool is_final(const Answers& others) {
  const auto says_no = [](const Answers::Refused& refused) {
    return refused.status >= 400 && refused.status < 500;
  };
  return others.late.empty() && !others.refused.empty() &&
         std::ranges::all_of(others.refused, says_no);
}

void fail_without_offers(const std::string& agent, const OfferQuestion& question,
                         const Answers& others) {
  if (others.refused.empty() && others.late.empty()) {
    throw ExecutionError(agent +
                         ": no cluster is registered there; start one with dovetail daemon " +
                         "FILE --agent " + agent);
  }
  std::map<std::string, std::vector<std::string>> names_of;  // by their answer
  for (const auto& refused : others.refused) names_of[refused.error].push_back(refused.name);
  if (!others.late.empty()) names_of["no answer in time"] = others.late;
  const std::string what = question.workflow.is_null()
                               ? "the service " + question.service + " as requested"
                               : std::string("this workflow");
  std::string line = "no cluster offers " + what;
  for (const auto& [error, names] : names_of) {
    line += fmt::format("; {}: {}", fmt::join(names, ", "), error);
  }
  if (is_final(others)) throw InputError(line);
  throw ExecutionError(line);
}

HeldMonths ask_who_has(const Caller& caller, std::span<const Offer> offers,
                       const std::string& experiment, const std::vector<Count>& scenarios,
                       Duration deadline) {
  std::vector<AgentMember> daemons;
  for (const Offer& offer : offers) daemons.push_back({offer.daemon, Role::daemon, offer.url});
  const Answers answers = gather(
      caller, daemons,
      {.operation = "held", .request = {{"experiment", experiment}, {"scenarios", scenarios}}},
      deadline);
  HeldMonths held(offers.size());
  for (std::size_t i = 0; i < offers.size(); ++i) {
    const auto its = std::ranges::find(answers.answers, offers[i].daemon, &ClusterAnswer::daemon);
    if (its == answers.answers.end()) continue;
    try {
      for (const Json& one : its->reply.at("scenarios")) {
        held[i][one.at("scenario").get<Count>()] = one.at("months").get<Count>();
      }
    } catch (const Json::exception&) {
      held[i].clear();
    }
  }
  return held;
}

std::vector<Count> share_out(std::span<const Offer> offers, Count scenarios,
                             std::string_view repartition) {
  std::vector<planning::PerformanceVector> vectors;
  for (const Offer& offer : offers) vectors.push_back(vector_of(offer));
  return planning::counts_of(planning::find_repartition(repartition)->make(vectors, scenarios),
                             offers.size());
}

std::vector<Count> counts_of_places(const std::vector<std::size_t>& places, std::size_t offers) {
  std::vector<Count> counts(offers, 0);
  for (const std::size_t place : places) ++counts[place];
  return counts;
}

std::vector<std::size_t> share_out_among(std::span<const Offer> offers,
                                         const std::vector<std::vector<bool>>& may,
                                         std::string_view repartition) {
  const bool is_free = std::ranges::none_of(
      may, [](const std::vector<bool>& one) { return std::ranges::find(one, false) != one.end(); });
  if (is_free) {
    const auto counts = share_out(offers, static_cast<Count>(may.size()), repartition);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < offers.size(); ++i) {
      places.insert(places.end(), static_cast<std::size_t>(counts[i]), i);
    }
    return places;
  }
  std::vector<std::size_t> order(may.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {},
                           [&](std::size_t s) { return std::ranges::count(may[s], true); });
  std::vector<std::size_t> counts(offers.size());
  std::vector<std::size_t> chosen(may.size());
  for (const std::size_t s : order) {
    std::size_t best = offers.size();
    for (std::size_t i = 0; i < offers.size(); ++i) {
      if (!may[s][i]) continue;
      const auto end = [&](std::size_t offer) { return offers[offer].makespans.at(counts[offer]); };
      if (best == offers.size() || end(i) < end(best)) best = i;
    }
    chosen[s] = best;
    ++counts.at(best);
  }
  return chosen;
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
