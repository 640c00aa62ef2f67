#include "federation/leases.hpp"

namespace dovetail::federation {

Leases::Renewal Leases::renew(const Member& member, Duration length, Time now) {
  const auto found = leases_.find(member.name);
  const bool is_live = found != leases_.end() && found->second.until > now;
  if (is_live && found->second.member.url != member.url) return Renewal::conflict;
  leases_[member.name] = {member, now + length};
  return is_live ? Renewal::renewed : Renewal::joined;
}

bool Leases::leave(const std::string& name) { return leases_.erase(name) > 0; }

std::vector<Member> Leases::live(Time now, std::vector<std::string>* gone) {
  std::vector<Member> members;
  for (auto lease = leases_.begin(); lease != leases_.end();) {
    if (lease->second.until > now) {
      members.push_back(lease->second.member);
      ++lease;
    } else {
      if (gone != nullptr) gone->push_back(lease->first);
      lease = leases_.erase(lease);
    }
  }
  return members;
}

}  // namespace dovetail::federation
