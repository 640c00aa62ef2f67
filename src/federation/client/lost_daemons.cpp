#include "federation/client/lost_daemons.hpp"

#include <algorithm>

namespace dovetail::federation {

namespace {

// The number of unanswered questions after which a daemon can be lost.
constexpr int kQuestions = 3;

}  // namespace

bool LostDaemons::miss(std::size_t part, const std::string& daemon, Time now) {
  Silence& silence = silent_[part];
  ++silence.questions;
  if (silence.questions > 1) return false;
  silence.daemon = daemon;
  silence.since = now;
  return true;
}

std::vector<std::size_t> LostDaemons::lost(Time now) const {
  std::vector<std::size_t> parts;
  for (const auto& [part, silence] : silent_) {
    if (silence.questions >= kQuestions && now - silence.since >= lost_after_) {
      parts.push_back(part);
    }
  }
  return parts;
}

void LostDaemons::give_up(std::size_t part, Time now) {
  const auto found = silent_.find(part);
  if (found == silent_.end()) return;
  Avoided& avoided = avoided_[found->second.daemon];
  avoided.until = now + (lost_after_ << std::min(avoided.times++, 6));
  silent_.erase(found);
}

bool LostDaemons::is_avoided(const std::string& daemon, Time now) const {
  const auto found = avoided_.find(daemon);
  if (found != avoided_.end() && now < found->second.until) return true;
  return std::ranges::any_of(silent_,
                             [&](const auto& entry) { return entry.second.daemon == daemon; });
}

}  // namespace dovetail::federation
