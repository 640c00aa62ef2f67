// The members of an agent. Each stays a member as long as it renews its lease. Pure: the caller
// passes the time.
//
//   leases.renew({"grillon", Role::daemon, url, capabilities}, 3000, now);
//   for (const AgentMember& member : leases.live(now)) ...
//
// A daemon's name belongs to one member: to the daemon, which has shown its certificate, or to the
// agent that first said that the daemon is below it. An agent's word can be contested, because a
// bad agent can say any name: see rivals().
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

// An agent's word that a daemon is below it, at that address.
struct DaemonClaim {
  std::string agent;
  std::string daemon;
  std::string url;
};

class Leases {
 public:
  enum class Renewal { joined, renewed, conflict };

  // Registers the member until now + length. A name that is in use at another address, here or
  // below an agent, is a conflict; daemons below the member that others have are dropped.
  Renewal renew(AgentMember member, Duration length, Time now);

  // The words of other agents that stand between the member and the names that it wants, unless
  // they were confirmed. What a daemon has said itself is no such word: it stands until its lease
  // is over.
  std::vector<DaemonClaim> rivals(const AgentMember& member, Time now) const;
  // The daemon answers at the claim's address with its own certificate: no rival until then.
  void confirm(const DaemonClaim& claim, Time until);
  // Forgets the agent's word.
  void drop(const DaemonClaim& claim);

  // All daemons of this part of the tree.
  DaemonUrls daemons(Time now) const;

  // Removes a daemon that is registered elsewhere in the tree. False if it was not registered here.
  bool forget_daemon(const std::string& name);

  // Removes a member. False if it was not registered.
  bool leave(const Peer& member);

  // The members with a valid lease, by name. Drops expired ones and adds their names to `gone`.
  std::vector<AgentMember> live(Time now, std::vector<std::string>* gone = nullptr);

 private:
  // An agent and a daemon of one name are two members.
  using Key = std::pair<std::string, Role>;
  struct Lease {
    AgentMember member;
    Time until = 0;
  };
  bool is_elsewhere(const std::string& name, const std::string& url, const Key& except,
                    Time now) const;
  bool is_anothers(const std::string& name, const Key& except, Time now) const;

  std::map<Key, Lease> leases_;
  std::map<std::pair<std::string, std::string>, Time> confirmed_;  // daemon and address; until
};

}  // namespace dovetail::federation
