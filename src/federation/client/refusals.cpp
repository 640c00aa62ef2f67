#include "federation/client/refusals.hpp"

#include "federation/net/message.hpp"

namespace dovetail::federation {

namespace {

// The number of conflicts after which a daemon that offers a scenario is not believed any more.
constexpr int kMostConflicts = 3;

}  // namespace

void Refusals::add(Count scenario, const std::string& daemon, int status, const std::string& why) {
  Known& known = known_[{scenario, daemon}];
  ++known.times;
  known.is_final = known.is_final || status != kConflict || known.times >= kMostConflicts;
  known.why = why;
}

bool Refusals::has(Count scenario, const std::string& daemon) const {
  return known_.contains({scenario, daemon});
}

bool Refusals::is_final(Count scenario, const std::string& daemon) const {
  const auto found = known_.find({scenario, daemon});
  return found != known_.end() && found->second.is_final;
}

std::string Refusals::reasons(Count scenario) const {
  std::string line;
  for (auto it = known_.lower_bound({scenario, ""});
       it != known_.end() && it->first.first == scenario; ++it) {
    line += (line.empty() ? "" : "; ") + it->first.second + ": " + it->second.why;
  }
  return line;
}

}  // namespace dovetail::federation
