// The options of strategies by the names that the command line, files and messages use; see
// rule_names.hpp.
#pragma once

#include "queue/sim/rule_names.hpp"
#include "queue/strategies/strategy.hpp"

namespace dovetail {

// Who sees to it that a user has not too many jobs: the strategy, which does not submit more than
// so many, or the scheduler, which does not let more than so many run.
enum class CapMode { submitted, running };

template <>
inline std::vector<std::pair<std::string, CapMode>> names() {
  return {{"submitted", CapMode::submitted}, {"running", CapMode::running}};
}

template <>
inline std::vector<std::pair<std::string, RequestRule>> names() {
  return {{"exact", RequestRule::exact},
          {"authors", RequestRule::authors},
          {"minutes", RequestRule::minutes}};
}

template <>
inline std::vector<std::pair<std::string, ZhangRule>> names() {
  return {{"paper", ZhangRule::paper}, {"code", ZhangRule::code}};
}

template <>
inline std::vector<std::pair<std::string, GlumeRule>> names() {
  return {{"paper", GlumeRule::paper}, {"code", GlumeRule::code}};
}

template <>
inline std::vector<std::pair<std::string, LeewayRule>> names() {
  return {{"exact", LeewayRule::exact}, {"code", LeewayRule::code}};
}

template <>
inline std::vector<std::pair<std::string, Pick>> names() {
  return {{"shortest", Pick::shortest}, {"longest", Pick::longest}};
}

template <>
inline std::vector<std::pair<std::string, PilotOutcome>> names() {
  return {{"done", PilotOutcome::done},
          {"expired", PilotOutcome::expired},
          {"cancelled", PilotOutcome::cancelled}};
}

}  // namespace dovetail
