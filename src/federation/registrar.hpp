// Keeps a daemon or an agent registered with the agent above it, for as long as it lives.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "federation/http_client.hpp"
#include "federation/http_server.hpp"

namespace dovetail::federation {

inline constexpr Duration kLease = 6'000;

struct Registration {
  std::string agent;    // URL of the agent
  std::string own_url;  // where we answer
  Duration lease = kLease;
  std::function<Json()> capabilities = [] { return Json::object(); };
};

class Registrar {
 public:
  // Renews thrice within a lease. What goes wrong is logged once, and tried again.
  Registrar(const Caller& caller, Registration registration, Log log);
  // Takes leave if it is registered, unless the agent does not answer at once.
  ~Registrar();
  Registrar(const Registrar&) = delete;
  Registrar& operator=(const Registrar&) = delete;

 private:
  void keep();
  std::string renew() const;

  const Caller& caller_;
  Registration registration_;
  Log log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  bool is_registered_ = false;  // of the thread, while there is one
  std::thread thread_;
};

}  // namespace dovetail::federation
