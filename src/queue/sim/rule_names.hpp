// The rules of replays and strategies by the names that options, files and messages use.
//
//   name_of(Overrun::kill)        // "kill"
//   for (const auto& [name, value] : names<Overrun>()) ...
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "queue/policies/scheduler.hpp"
#include "queue/sim/trace.hpp"
#include "queue/strategies/strategy.hpp"

namespace dovetail::queue {

template <typename Rule>
using RuleNames = std::vector<std::pair<std::string, Rule>>;

// Every value of a rule with its name, the default first.
template <typename Rule>
RuleNames<Rule> names();

template <>
inline RuleNames<Requests> names() {
  return {{"real", Requests::real}, {"accurate", Requests::accurate}};
}

template <>
inline RuleNames<NeverRan> names() {
  return {{"drop", NeverRan::drop}, {"request", NeverRan::request}};
}

template <>
inline RuleNames<Overrun> names() {
  return {{"raise", Overrun::raise}, {"kill", Overrun::kill}};
}

template <>
inline RuleNames<Compress> names() {
  return {{"arrival", Compress::arrival}, {"rebuild", Compress::rebuild}, {"none", Compress::none}};
}

template <typename Rule>
std::string name_of(Rule rule) {
  for (const auto& [name, value] : names<Rule>()) {
    if (value == rule) return name;
  }
  return {};
}

// What keeps the jobs of a user within the cap: the strategy, which submits no more, or the
// scheduler, which lets no more run.
enum class CapMode { submitted, running };

template <>
inline RuleNames<CapMode> names() {
  return {{"submitted", CapMode::submitted}, {"running", CapMode::running}};
}

template <>
inline RuleNames<RequestRule> names() {
  return {{"exact", RequestRule::exact},
          {"authors", RequestRule::authors},
          {"minutes", RequestRule::minutes}};
}

template <>
inline RuleNames<ZhangRule> names() {
  return {{"paper", ZhangRule::paper}, {"code", ZhangRule::code}};
}

template <>
inline RuleNames<GlumeRule> names() {
  return {{"paper", GlumeRule::paper}, {"code", GlumeRule::code}};
}

template <>
inline RuleNames<LeewayRule> names() {
  return {{"exact", LeewayRule::exact}, {"code", LeewayRule::code}};
}

template <>
inline RuleNames<Pick> names() {
  return {{"shortest", Pick::shortest}, {"longest", Pick::longest}};
}

template <>
inline RuleNames<PilotOutcome> names() {
  return {{"done", PilotOutcome::done},
          {"expired", PilotOutcome::expired},
          {"cancelled", PilotOutcome::cancelled}};
}

}  // namespace dovetail::queue
