// Keeps a daemon or an agent registered with the agent above it, for as long as it lives.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "federation/agent/leases.hpp"
#include "federation/net/http_client.hpp"
#include "federation/net/http_server.hpp"

namespace dovetail::federation {

inline constexpr Duration kLease = 6'000;

struct Registration {
  std::string agent;    // URL of the agent
  std::string own_url;  // where we answer
  Duration lease = kLease;
  std::function<Json()> capabilities = [] { return Json::object(); };
  // Of an agent: all daemons below it, and what to do with those that the agent above knows at
  // another place.
  std::function<DaemonUrls()> daemons = {};
  std::function<void(const std::string& daemon)> is_elsewhere = [](auto&&...) {};
  // Our name is another's, and has been for longer than a lease that nobody renews.
  std::function<void(const std::string& why)> is_taken = [](auto&&...) {};
};

class Registrar {
 public:
  // Renews thrice within a lease. What goes wrong is logged once, and tried again.
  Registrar(const Caller& caller, Registration registration, Log log);
  // Takes leave if it is registered, unless the agent does not answer at once.
  ~Registrar();
  Registrar(const Registrar&) = delete;
  Registrar& operator=(const Registrar&) = delete;

  // Says at once what is new; what went wrong, empty when nothing did. From any thread.
  std::string renew() const;

 private:
  void keep();
  void look_at_conflict(bool is_conflict, const std::string& why);

  const Caller& caller_;
  Registration registration_;
  Log log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  // Of the thread, while there is one.
  bool is_registered_ = false;
  bool was_registered_ = false;
  std::optional<Time> conflict_since_;
  std::thread thread_;
};

}  // namespace dovetail::federation
