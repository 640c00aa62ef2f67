// The rules of a replay by the names that options, files and messages use.
//
//   name_of(Overrun::kill)        // "kill"
//   for (const auto& [name, value] : names<Overrun>()) ...
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "queue/policies/scheduler.hpp"
#include "queue/sim/trace.hpp"

namespace dovetail {

// Every value of a rule with its name, the default first.
template <typename Rule>
std::vector<std::pair<std::string, Rule>> names();

template <>
inline std::vector<std::pair<std::string, Requests>> names() {
  return {{"real", Requests::real}, {"accurate", Requests::accurate}};
}

template <>
inline std::vector<std::pair<std::string, NeverRan>> names() {
  return {{"drop", NeverRan::drop}, {"request", NeverRan::request}};
}

template <>
inline std::vector<std::pair<std::string, Overrun>> names() {
  return {{"raise", Overrun::raise}, {"kill", Overrun::kill}};
}

template <>
inline std::vector<std::pair<std::string, Compress>> names() {
  return {{"arrival", Compress::arrival}, {"rebuild", Compress::rebuild}, {"none", Compress::none}};
}

template <typename Rule>
std::string name_of(Rule rule) {
  for (const auto& [name, value] : names<Rule>()) {
    if (value == rule) return name;
  }
  return {};
}

}  // namespace dovetail
