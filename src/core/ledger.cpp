#include "dovetail/ledger.hpp"

#include <utility>

namespace dovetail {

Ledger::Ledger(Calendar calendar) : calendar_(std::move(calendar)) {}

std::optional<Booking> Ledger::find(BookingId id) const {
  const auto it = bookings_.find(id);
  if (it == bookings_.end()) return std::nullopt;
  return it->second;
}

bool Ledger::add(BookingId id, Interval window, Count procs) {
  if (bookings_.contains(id) || window.begin > window.end || procs < 0) return false;
  if (!calendar_.fits(window, procs)) return false;
  calendar_.reserve(window, procs);
  bookings_.emplace(id, Booking{window, procs});
  return true;
}

bool Ledger::truncate(BookingId id, Time end) {
  const auto it = bookings_.find(id);
  if (it == bookings_.end()) return false;
  auto& [window, procs] = it->second;
  if (end < window.begin || end > window.end) return false;
  calendar_.release({end, window.end}, procs);
  window.end = end;
  if (window.begin == end) bookings_.erase(it);
  return true;
}

bool Ledger::remove(BookingId id) {
  const auto it = bookings_.find(id);
  if (it == bookings_.end()) return false;
  calendar_.release(it->second.window, it->second.procs);
  bookings_.erase(it);
  return true;
}

}  // namespace dovetail
