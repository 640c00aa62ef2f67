#include "federation/agent/leases.hpp"

namespace dovetail::federation {

// Whether a daemon is registered under another address, by a member other than `except`.
bool Leases::is_elsewhere(const std::string& name, const std::string& url,
                          const std::string& except, Time now) const {
  for (const auto& [its_name, lease] : leases_) {
    if (its_name == except || lease.until <= now) continue;
    if (lease.member.role == Role::daemon && its_name == name && lease.member.url != url) {
      return true;
    }
    const auto below = lease.member.below.find(name);
    if (below != lease.member.below.end() && below->second != url) return true;
  }
  return false;
}

Leases::Renewal Leases::renew(AgentMember member, Duration length, Time now) {
  const auto found = leases_.find(member.name);
  const bool is_live = found != leases_.end() && found->second.until > now;
  if (is_live && found->second.member.url != member.url) return Renewal::conflict;
  if (member.role == Role::daemon && is_elsewhere(member.name, member.url, "", now)) {
    return Renewal::conflict;
  }
  std::erase_if(member.below, [&](const auto& daemon) {
    return is_elsewhere(daemon.first, daemon.second, member.name, now);
  });
  leases_[member.name] = {member, now + length};
  return is_live ? Renewal::renewed : Renewal::joined;
}

DaemonUrls Leases::daemons(Time now) const {
  DaemonUrls all;
  for (const auto& [name, lease] : leases_) {
    if (lease.until <= now) continue;
    if (lease.member.role == Role::daemon) all.emplace(name, lease.member.url);
    all.insert(lease.member.below.begin(), lease.member.below.end());
  }
  return all;
}

bool Leases::forget_daemon(const std::string& name) {
  const auto found = leases_.find(name);
  bool was_there = false;
  if (found != leases_.end() && found->second.member.role == Role::daemon) {
    leases_.erase(found);
    was_there = true;
  }
  for (auto& [agent, lease] : leases_) was_there |= lease.member.below.erase(name) > 0;
  return was_there;
}

bool Leases::leave(const std::string& name) { return leases_.erase(name) > 0; }

std::vector<AgentMember> Leases::live(Time now, std::vector<std::string>* gone) {
  std::vector<AgentMember> members;
  for (const auto& [name, lease] : leases_) {
    if (lease.until > now) members.push_back(lease.member);
    if (lease.until <= now && gone != nullptr) gone->push_back(name);
  }
  std::erase_if(leases_, [&](const auto& entry) { return entry.second.until <= now; });
  return members;
}

}  // namespace dovetail::federation
