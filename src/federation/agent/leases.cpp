#include "federation/agent/leases.hpp"

#include <algorithm>

namespace dovetail::federation {

// Whether a daemon is registered under another address, by a member other than `except`.
bool Leases::is_elsewhere(const std::string& name, const std::string& url, const Key& except,
                          Time now) const {
  for (const auto& [key, lease] : leases_) {
    if (key == except || lease.until <= now) continue;
    if (key == Key(name, Role::daemon) && lease.member.url != url) return true;
    const auto below = lease.member.below.find(name);
    if (below != lease.member.below.end() && below->second != url) return true;
  }
  return false;
}

// Whether another member has registered a daemon, under whatever address.
bool Leases::is_anothers(const std::string& name, const Key& except, Time now) const {
  return std::ranges::any_of(leases_, [&](const auto& entry) {
    const auto& [key, lease] = entry;
    return key != except && lease.until > now &&
           (key == Key(name, Role::daemon) || lease.member.below.contains(name));
  });
}

Leases::Renewal Leases::renew(AgentMember member, Duration length, Time now) {
  const Key key(member.name, member.role);
  const auto found = leases_.find(key);
  const bool is_live = found != leases_.end() && found->second.until > now;
  if (is_live && found->second.member.url != member.url) return Renewal::conflict;
  if (member.role == Role::daemon) {
    if (is_elsewhere(member.name, member.url, key, now)) return Renewal::conflict;
    // The daemon speaks for itself now.
    for (auto& [other, lease] : leases_) lease.member.below.erase(member.name);
  }
  std::erase_if(member.below,
                [&](const auto& daemon) { return is_anothers(daemon.first, key, now); });
  leases_[key] = {member, now + length};
  return is_live ? Renewal::renewed : Renewal::joined;
}

std::vector<DaemonClaim> Leases::rivals(const AgentMember& member, Time now) const {
  DaemonUrls wanted = member.below;
  if (member.role == Role::daemon) wanted = {{member.name, member.url}};
  std::vector<DaemonClaim> rivals;
  for (const auto& [key, lease] : leases_) {
    if (key == Key(member.name, member.role) || lease.until <= now) continue;
    for (const auto& [daemon, url] : wanted) {
      const auto theirs = lease.member.below.find(daemon);
      if (theirs == lease.member.below.end() || theirs->second == url) continue;
      const auto confirmed = confirmed_.find({daemon, theirs->second});
      if (confirmed != confirmed_.end() && confirmed->second > now) continue;
      rivals.push_back({lease.member.name, daemon, theirs->second});
    }
  }
  return rivals;
}

void Leases::confirm(const DaemonClaim& claim, Time until) {
  confirmed_[{claim.daemon, claim.url}] = until;
}

void Leases::drop(const DaemonClaim& claim) {
  const auto found = leases_.find({claim.agent, Role::agent});
  if (found == leases_.end()) return;
  DaemonUrls& below = found->second.member.below;
  const auto daemon = below.find(claim.daemon);
  if (daemon != below.end() && daemon->second == claim.url) below.erase(daemon);
}

DaemonUrls Leases::daemons(Time now) const {
  DaemonUrls all;
  for (const auto& [key, lease] : leases_) {
    if (lease.until <= now) continue;
    if (lease.member.role == Role::daemon) all.emplace(lease.member.name, lease.member.url);
    all.insert(lease.member.below.begin(), lease.member.below.end());
  }
  return all;
}

bool Leases::forget_daemon(const std::string& name) {
  bool was_there = leases_.erase({name, Role::daemon}) > 0;
  for (auto& [key, lease] : leases_) was_there |= lease.member.below.erase(name) > 0;
  return was_there;
}

bool Leases::leave(const Peer& member) { return leases_.erase({member.name, member.role}) > 0; }

std::vector<AgentMember> Leases::live(Time now, std::vector<std::string>* gone) {
  std::vector<AgentMember> members;
  for (const auto& [key, lease] : leases_) {
    if (lease.until > now) members.push_back(lease.member);
    if (lease.until <= now && gone != nullptr) gone->push_back(lease.member.name);
  }
  std::erase_if(leases_, [&](const auto& entry) { return entry.second.until <= now; });
  std::erase_if(confirmed_, [&](const auto& entry) { return entry.second <= now; });
  return members;
}

}  // namespace dovetail::federation
