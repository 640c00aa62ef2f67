#include "federation/registrar.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>

namespace dovetail::federation {

namespace {

constexpr double kFarewellSeconds = 1;

}  // namespace

Registrar::Registrar(const Caller& caller, Registration registration, Log log)
    : caller_(caller), registration_(std::move(registration)), log_(std::move(log)) {
  thread_ = std::thread([this] { keep(); });
}

Registrar::~Registrar() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
  if (!is_registered_) return;  // the name may be another one's there
  try {
    caller_.post({registration_.agent, Role::agent}, "/v1/leave", Json::object(), kFarewellSeconds);
  } catch (const ExecutionError&) {
    // The lease ends by itself.
  }
}

// What went wrong; empty when nothing did.
std::string Registrar::renew() const {
  try {
    caller_.post({registration_.agent, Role::agent}, "/v1/register",
                 {{"url", registration_.own_url},
                  {"lease_ms", registration_.lease},
                  {"capabilities", registration_.capabilities()}},
                 to_seconds(registration_.lease) / 2);
    return {};
  } catch (const ExecutionError& error) {
    return error.what();
  }
}

void Registrar::keep() {
  std::optional<std::string> before;
  for (;;) {
    const std::string trouble = renew();
    is_registered_ = trouble.empty();
    if (trouble != before) {
      log_(trouble.empty() ? "registered with " + registration_.agent
                           : "not registered: " + trouble);
      before = trouble;
    }
    std::unique_lock lock(mutex_);
    const auto pause = std::chrono::milliseconds(registration_.lease / 3);
    if (changed_.wait_for(lock, pause, [&] { return is_over_; })) return;
  }
}

}  // namespace dovetail::federation
