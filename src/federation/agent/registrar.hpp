// Keeps a daemon or an agent registered with the agent above it during its lifetime.
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
  std::string own_url;  // where this server answers
  Duration lease = kLease;
  std::function<Json()> capabilities = [] { return Json::object(); };
  // For an agent: all daemons below it, and what to do with those that the agent above knows under
  // another address.
  std::function<DaemonUrls()> daemons = {};
  std::function<void(const std::string& daemon)> is_elsewhere = [](auto&&...) {};
  // Called when another server has held our name for longer than an unrenewed lease lasts.
  std::function<void(const std::string& why)> is_taken = [](auto&&...) {};
};

class Registrar {
 public:
  // Renews three times per lease. A failure is logged once, and tried again.
  Registrar(const Caller& caller, Registration registration, Log log);
  // Deregisters if registered; gives up if the agent does not answer at once.
  ~Registrar();
  Registrar(const Registrar&) = delete;
  Registrar& operator=(const Registrar&) = delete;

  // Renews at once. Returns what went wrong; empty on success. Callable from any thread.
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
  // Used only by the thread while it runs.
  bool is_registered_ = false;
  bool was_registered_ = false;
  std::optional<Time> conflict_since_;
  std::thread thread_;
};

}  // namespace dovetail::federation
