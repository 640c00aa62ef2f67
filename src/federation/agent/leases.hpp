// Who is there: members of an agent, each for as long as it says again that it is. Pure: the clock
// is the caller's.
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
  DaemonUrls below = {};  // of an agent: the daemons of its part of the tree
};

class Leases {
 public:
  enum class Renewal { joined, renewed, conflict };

  // Until now + length. A name that somebody else has at another place, here or below an agent, is
  // not given away; daemons below the member of which that is true are not kept.
  Renewal renew(AgentMember member, Duration length, Time now);

  // All daemons of this part of the tree.
  DaemonUrls daemons(Time now) const;

  // A daemon that turns out to be registered elsewhere in the tree. False when it was not there.
  bool forget_daemon(const std::string& name);

  // False when it was not there.
  bool leave(const std::string& name);

  // By name. Those that are over are forgotten; `gone` gets their names.
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
