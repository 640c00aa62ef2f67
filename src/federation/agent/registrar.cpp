#include "federation/agent/registrar.hpp"

#include <chrono>
#include <string_view>

#include "federation/agent/gather.hpp"
#include "federation/net/read_answer.hpp"
#include "run/clock.hpp"

namespace dovetail::federation {

namespace {

constexpr double kFarewellSeconds = 1;
constexpr std::string_view kTaken = "another server has the name: ";

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
  if (!is_registered_) return;  // another server may own the name there
  try {
    caller_.post({registration_.agent, Role::agent}, "/v1/leave", Json::object(), kFarewellSeconds);
  } catch (const ExecutionError&) {
    // The lease expires by itself.
  }
}

std::string Registrar::renew() const {
  Json request = {{"url", registration_.own_url},
                  {"lease_ms", registration_.lease},
                  {"capabilities", registration_.capabilities()}};
  if (registration_.daemons) request["daemons"] = registration_.daemons();
  try {
    const Json reply = caller_.post({registration_.agent, Role::agent}, "/v1/register", request,
                                    to_seconds(registration_.lease) / 2);
    const auto elsewhere = read_answer(registration_.agent, [&] {
      const Fields fields(reply, "register");
      if (fields.find("elsewhere") != nullptr) fields.list("elsewhere", kMostDaemons);
      return fields.items<std::string>("elsewhere", "names");
    });
    for (const std::string& name : elsewhere) registration_.is_elsewhere(name);
    return {};
  } catch (const Denied& denied) {
    return denied.status() == kConflict ? std::string(kTaken) + denied.reason() : denied.what();
  } catch (const ExecutionError& error) {
    return error.what();
  }
}

void Registrar::keep() {
  std::optional<std::string> before;
  for (;;) {
    const std::string trouble = renew();
    is_registered_ = trouble.empty();
    was_registered_ |= is_registered_;
    if (trouble != before) {
      log_(trouble.empty() ? "registered with " + registration_.agent
                           : "not registered: " + trouble);
      before = trouble;
    }
    look_at_conflict(trouble.starts_with(kTaken), trouble);
    std::unique_lock lock(mutex_);
    const auto pause = std::chrono::milliseconds(registration_.lease / 3);
    if (changed_.wait_for(lock, pause, [&] { return is_over_; })) return;
  }
}

// Waits before it reports a conflict: just after a restart the other owner of the name may be our
// own previous process, at another port.
void Registrar::look_at_conflict(bool is_conflict, const std::string& why) {
  if (!is_conflict || was_registered_) {
    conflict_since_.reset();
    return;
  }
  if (!conflict_since_) conflict_since_ = run::steady_now();
  const Duration length = run::steady_now() - *conflict_since_;
  if (length > registration_.lease + registration_.lease / 2) registration_.is_taken(why);
}

}  // namespace dovetail::federation
