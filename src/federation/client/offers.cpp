#include "federation/client/offers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "dovetail/time.hpp"
#include "federation/daemon/estimate.hpp"
#include "federation/net/read_answer.hpp"

namespace dovetail::federation {

namespace {

// Allowed for the way there and back, on top of the agent's own time.
constexpr double kTravelSeconds = 5;

// Of all groupings of one answer together.
constexpr std::size_t kMostGroups = 1'000'000;

std::vector<double> makespans_of(const Fields& fields, std::size_t scenarios) {
  std::vector<double> makespans;
  for (const Json& one : fields.list("makespans", scenarios)) {
    const double seconds = one.is_number() ? one.get<double>() : -1;
    if (!(seconds >= 0 && seconds <= kNeverSeconds)) fields.fail("makespans: expected seconds");
    makespans.push_back(seconds);
  }
  if (makespans.size() != scenarios) fields.fail("makespans: are too few");
  return makespans;
}

std::vector<std::vector<Count>> groups_of(const Fields& fields, std::size_t scenarios) {
  std::vector<std::vector<Count>> groups;
  std::size_t count = 0;
  for (const Json& one : fields.list("groups", scenarios)) {
    const Json named = {{"groups", one}};
    auto sizes = Fields(named, "estimate").items<Count>("groups", "lists of numbers");
    const bool is_fine = std::ranges::all_of(
        sizes, [](Count procs) { return procs > 0 && procs <= kMaxProcessors; });
    count += sizes.size();
    if (!is_fine || count > kMostGroups) fields.fail("groups: expected numbers of processors");
    groups.push_back(std::move(sizes));
  }
  if (groups.size() != scenarios) fields.fail("groups: are too few");
  return groups;
}

Offer offer_of(const ClusterAnswer& answer, Count scenarios) {
  const Fields fields(answer.reply, "estimate");
  const auto count = static_cast<std::size_t>(scenarios);
  return {.daemon = answer.daemon,
          .url = answer.url,
          .makespans = makespans_of(fields, count),
          .groups = groups_of(fields, count),
          .at_no_cost = static_cast<Count>(fields.whole("at_no_cost", 0, kMaxProcessors)),
          .valid_until = fields.whole("valid_until", 0, std::int64_t{1} << 53)};
}

// The months of a daemon that holds some of what the question asks for.
std::map<Count, Count> held_of(const Json& reply, const HeldQuestion& question) {
  const Fields fields(reply, "held");
  std::map<Count, Count> held;
  for (const Json& one : fields.list("scenarios", question.scenarios.size())) {
    const Fields scenario(one, "held: scenario");
    const auto number = static_cast<Count>(scenario.whole("scenario", 1, kMostScenarios));
    if (std::ranges::find(question.scenarios, number) == question.scenarios.end()) {
      scenario.fail(fmt::format("scenario {} was not asked for", number));
    }
    held[number] = static_cast<Count>(scenario.whole("months", 1, question.months));
  }
  return held;
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
  Offers offers{.others = read_answer(agent, [&] { return answers_of(reply); })};
  for (const ClusterAnswer& answer : offers.others.answers) {
    try {
      offers.offers.push_back(
          read_answer(answer.daemon, [&] { return offer_of(answer, question.scenarios); }));
    } catch (const BadAnswer& error) {
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

bool may_offer_later(const Answers& others) {
  const auto may_change = [](const Answers::Refused& refused) {
    constexpr int kTooMany = 429;
    return refused.status < 400 || refused.status >= 500 || refused.status == kTooMany;
  };
  return !others.late.empty() || std::ranges::any_of(others.refused, may_change);
}

bool is_final(const Answers& others) { return !others.refused.empty() && !may_offer_later(others); }

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
                       const HeldQuestion& question, Duration deadline) {
  std::vector<AgentMember> daemons;
  for (const Offer& offer : offers) daemons.push_back({offer.daemon, Role::daemon, offer.url});
  const Answers answers =
      gather(caller, daemons,
             {.operation = "held",
              .request = {{"experiment", question.experiment}, {"scenarios", question.scenarios}}},
             deadline);
  HeldMonths held{.last = std::vector<std::map<Count, Count>>(offers.size())};
  for (std::size_t i = 0; i < offers.size(); ++i) {
    const auto its = std::ranges::find(answers.answers, offers[i].daemon, &ClusterAnswer::daemon);
    if (its == answers.answers.end()) continue;
    try {
      held.last[i] = read_answer(its->daemon, [&] { return held_of(its->reply, question); });
    } catch (const BadAnswer& error) {
      held.troubles.push_back(error.what());
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

std::string repartition_text(std::span<const Offer> offers,
                             const std::vector<std::size_t>& places) {
  const std::vector<Count> counts = counts_of_places(places, offers.size());
  std::string line = "scenarios by cluster:";
  for (std::size_t i = 0; i < offers.size(); ++i) {
    line += fmt::format(" {} {}", offers[i].daemon, counts[i]);
  }
  const auto round_robin = share_out(offers, static_cast<Count>(places.size()), "round-robin");
  return fmt::format("{}; {:.1f} s, round robin {:.1f} s", line, makespan_of(offers, counts),
                     makespan_of(offers, round_robin));
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
