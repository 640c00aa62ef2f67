#include "federation/daemon/month_admission.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dovetail::federation {

namespace {

constexpr int kTooMany = 429;
constexpr int kTooLarge = 413;
constexpr int kNotNow = 503;

bool is_same(const MonthRequest& known, const MonthRequest& asked) {
  const auto same = [](const Scenario& one, const Scenario& other) {
    return one.number == other.number && one.first == other.first;
  };
  return known.experiment == asked.experiment && known.service == asked.service &&
         known.months == asked.months && known.parameters == asked.parameters &&
         known.workflow == asked.workflow &&
         std::ranges::equal(known.scenarios, asked.scenarios, same);
}

}  // namespace

std::optional<MonthAdmission::Place> MonthAdmission::admit(const MonthRequest& request) {
  enum class Standing : std::uint8_t { no, same, other };
  const std::lock_guard lock(mutex_);
  RequestAmount held;
  const Standing known = record_.read([&](const MonthState& state) {
    if (const MonthRequest* found = state.find(request.name())) {
      return is_same(*found, request) ? Standing::same : Standing::other;
    }
    held = state.held_by(request.client);
    return Standing::no;
  });
  if (known == Standing::same) return std::nullopt;
  if (known == Standing::other) {
    throw Refusal(kConflict,
                  fmt::format("request {} of {} is another one", request.id, request.client),
                  "give every request an id of its own");
  }
  if (arriving_.contains(request.name())) {
    throw Refusal(kNotNow, fmt::format("request {} is being taken in", request.id),
                  "send it again in a while");
  }
  for (const auto& [name, amount] : arriving_) {
    if (name.client == request.client) held += amount;
  }
  require_room(request, held);
  arriving_[request.name()] = amount_of(request);
  return std::optional<Place>(std::in_place, *this, request.name());
}

void MonthAdmission::require_room(const MonthRequest& request, const RequestAmount& held) const {
  const RequestAmount asked = amount_of(request);
  const auto require = [&](std::int64_t more, std::int64_t has, std::int64_t most,
                           const char* what) {
    if (more > most) {
      throw Refusal(kTooLarge,
                    fmt::format("{} {}, and a client may have {} here", more, what, most),
                    "ask for less at once");
    }
    if (has + more <= most) return;
    throw Refusal(kTooMany,
                  fmt::format("{} would have {} {} here, and may have {}", request.client,
                              has + more, what, most),
                  "wait until earlier requests are done, or cancel some");
  };
  require(asked.requests, held.requests, quotas_.requests, "requests that are not over");
  require(asked.months, held.months, quotas_.months, "months in requests that are not over");
  require(asked.bytes, held.bytes, quotas_.bytes,
          "bytes of parameters, workflows and lists of scenarios");
}

void MonthAdmission::leave(const RequestName& name) {
  const std::lock_guard lock(mutex_);
  arriving_.erase(name);
}

}  // namespace dovetail::federation
