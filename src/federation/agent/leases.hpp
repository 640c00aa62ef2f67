// The members of an agent. Each stays a member as long as it renews its lease. Pure: the caller
// passes the time.
//
//   leases.renew({"grillon", Role::daemon, url, capabilities}, 3000, now);
//   for (const AgentMember& member : leases.live(now)) ...
#pragma once

#include <map>
#include <string>
#include <vector>

#include "federation/net/keys.hpp"
#include "federation/net/message.hpp"

namespace dovetail::federation {

using DaemonUrls = std::map<std::string, std::string>;  // by name

struct AgentMember {
  std::string name;
  Role role = Role::daemon;
  std::string url;
  Json capabilities = {};
  DaemonUrls below = {};  // of an agent: the daemons in its part of the tree
};

class Leases {
 public:
  enum class Renewal { joined, renewed, conflict };

  // Registers the member until now + length. A name that is in use at another address, here or
  // below an agent, is a conflict; daemons below the member with such names are dropped.
  Renewal renew(AgentMember member, Duration length, Time now);

  // All daemons of this part of the tree.
  DaemonUrls daemons(Time now) const;

  // Removes a daemon that is registered elsewhere in the tree. False if it was not registered here.
  bool forget_daemon(const std::string& name);

  // Removes a member. False if it was not registered.
  bool leave(const std::string& name);

  // The members with a valid lease, by name. Drops expired ones and adds their names to `gone`.
  std::vector<AgentMember> live(Time now, std::vector<std::string>* gone = nullptr);

 private:
  struct Lease {
    AgentMember member;
    Time until = 0;
  };
  bool is_elsewhere(const std::string& name, const std::string& url, const std::string& except,
                    Time now) const;

  std::map<std::string, Lease> leases_;
};

}  // namespace dovetail::federation
