#include "federation/client/part_watcher.hpp"

#include <chrono>
#include <utility>

#include "federation/net/read_answer.hpp"

namespace dovetail::federation {

namespace {

constexpr double kCallSeconds = 10;
// The time limit for an answer that needs no computation. Under load it may be late; a single late
// answer does not make a cluster lost.
constexpr double kAnswerSeconds = 4;
// Short, so that a lost daemon is noticed, and a leaving client need not wait long.
constexpr double kWatchSeconds = 2;
constexpr auto kPause = std::chrono::milliseconds(300);

}  // namespace

bool is_passing(const Denied& denied) {
  constexpr int kTimeOut = 408;
  constexpr int kTooMany = 429;
  return denied.status() >= 500 || denied.status() == kTimeOut || denied.status() == kTooMany;
}

PartWatcher::PartWatcher(const Caller& caller, std::size_t number, const ExperimentPart& part,
                         Json order, std::function<void(PartNews)> tell)
    : caller_(caller),
      number_(number),
      part_(part),
      order_(std::move(order)),
      tell_(std::move(tell)),
      is_abandoned_(!part.abandoned.empty()) {
  thread_ = std::thread([this] { work(); });
}

PartWatcher::~PartWatcher() {
  is_over_ = true;
  thread_.join();
}

void PartWatcher::leave(const std::vector<Count>& scenarios) {
  const std::lock_guard lock(mutex_);
  leaving_.insert(scenarios.begin(), scenarios.end());
}

void PartWatcher::abandon() { is_abandoned_ = true; }

void PartWatcher::work() {
  while (!is_over_) {
    try {
      if (is_abandoned_) return give_up();
      if (!is_submitted_ && !submit()) return;
      leave_some();
      watch();
    } catch (const BadAnswer& error) {
      is_missed_ = true;
      tell(PartNews::Kind::trouble, error.what());
      std::this_thread::sleep_for(kPause);
    } catch (const NoAnswer& error) {
      is_missed_ = true;
      tell(PartNews::Kind::silence, error.what());
      std::this_thread::sleep_for(kPause);
    } catch (const Denied& error) {
      // The daemon does not know the request, or cannot serve it at the moment.
      is_submitted_ = false;
      tell(PartNews::Kind::trouble, error.reason());
      std::this_thread::sleep_for(kPause);
    }
  }
}

Json PartWatcher::call(const char* path, Json body, double seconds) const {
  body["request_id"] = part_.request;
  return caller_.post({part_.url, Role::daemon, part_.daemon}, path, body, seconds);
}

void PartWatcher::tell(PartNews::Kind kind, const std::string& why) {
  if (!is_abandoned_) tell_({.kind = kind, .part = number_, .why = why});
}

void PartWatcher::give_up() {
  try {
    call("/v1/cancel", Json::object(), kCallSeconds);
  } catch (const Denied& error) {
    if (is_passing(error)) throw;  // else the daemon never received it
  }
  tell_({.kind = PartNews::Kind::told, .part = number_});
}

// False when the daemon refuses it for good.
bool PartWatcher::submit() {
  try {
    const Json reply = call("/v1/submit", order_, kCallSeconds);
    read_answer(part_.url, [&] {
      const Fields fields(reply, "submit");
      if (fields.word("request_id") != part_.request) fields.fail("request_id: is of another one");
      if (!fields.flag("accepted")) fields.fail("accepted: expected true");
    });
  } catch (const Denied& error) {
    if (is_passing(error)) throw;
    tell_({.kind = PartNews::Kind::refused,
           .part = number_,
           .status = error.status(),
           .why = error.reason()});
    return false;
  }
  is_submitted_ = true;
  return true;
}

void PartWatcher::leave_some() {
  std::set<Count> scenarios;
  {
    const std::lock_guard lock(mutex_);
    scenarios = leaving_;
  }
  if (scenarios.empty()) return;
  call("/v1/cancel", {{"scenarios", scenarios}}, kCallSeconds);
  const std::lock_guard lock(mutex_);
  for (const Count number : scenarios) leaving_.erase(number);
}

void PartWatcher::watch() {
  const double wait = is_missed_ ? 0 : kWatchSeconds;
  const Json reply =
      call("/v1/watch", {{"cursor", cursor_}, {"wait_seconds", wait}}, wait + kAnswerSeconds);
  is_missed_ = false;
  const PartProgress progress = read_answer(
      part_.url, [&] { return read_progress(reply, part_, order_.at("months").get<Count>()); });
  const std::int64_t before = std::exchange(cursor_, progress.cursor);
  tell_({.kind = PartNews::Kind::progress, .part = number_, .progress = progress});
  if (progress.is_over) is_over_ = true;
  // A daemon with many waiting clients answers at once, without news.
  if (!progress.is_over && cursor_ == before) std::this_thread::sleep_for(kPause);
}

}  // namespace dovetail::federation
