// An agent: daemons and other agents register with it, and it forwards questions to all of them.
// Agents form a tree; clients know the one at the top, the master.
//
//   Agent agent({.address = {"127.0.0.1", 7700}}, identity("keys/master"), log);
//   agent.url();
//
// It keeps nothing on disk: members renew their registration regularly.
//
// A member registers under the name of its certificate. An agent also says which daemons are below
// it. That is its word alone: when another member wants one of these names, the agent calls the
// daemon at both addresses, and only a server with the daemon's certificate keeps the name.
#pragma once

#include <memory>
#include <mutex>

#include "federation/agent/gather.hpp"
#include "federation/agent/leases.hpp"
#include "federation/agent/registrar.hpp"
#include "federation/net/http_server.hpp"

namespace dovetail::federation {

inline constexpr Duration kMaxDeadline = 30'000;

struct AgentOptions {
  Address address = {};
  std::string parent = {};      // URL of the agent above; empty: this is the master
  std::string public_url = {};  // where others reach it; empty: its address
  Duration lease = kLease;      // of its own registration
  ServerLimits limits = {.connections = 256};
};

class Agent {
 public:
  // Starts answering. Throws ExecutionError when it cannot listen, InputError when it is its own
  // parent.
  Agent(const AgentOptions& options, const Identity& self, Log log);
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  const std::string& url() const { return url_; }

 private:
  std::vector<Operation> operations();
  Json enroll(const Call& call);
  AgentMember member_of(const Call& call, const Fields& fields) const;
  void settle_rivals(const AgentMember& member);
  void ask_above(const AgentMember& member, const DaemonUrls& known);
  Json leave(const Call& call);
  Json capabilities();
  Json find(const Call& call);
  std::vector<std::string> passed_agents(const Fields& fields) const;
  std::vector<AgentMember> members();

  Log log_;
  Caller caller_;
  std::mutex settling_;  // one contest at a time; never locked within mutex_
  std::mutex mutex_;
  Leases leases_;
  std::string url_;
  std::unique_ptr<HttpServer> server_;
  std::shared_ptr<Registrar> registrar_;  // guarded by mutex_; a call may still use it
};

// The given URL, or else "https://HOST:PORT" of a server that listens there.
std::string own_url(const std::string& given, const Address& address, int port);

}  // namespace dovetail::federation
