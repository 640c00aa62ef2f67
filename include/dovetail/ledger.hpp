// Bookings by id on top of one calendar: take, look up, shorten, give back.
//
//   Ledger ledger(calendar);
//   ledger.add(7, {0, 60'000}, 4);
//   ledger.truncate(7, 30'000);   // the job ended early
//   ledger.remove(7);
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "dovetail/calendar.hpp"

namespace dovetail {

using BookingId = std::uint64_t;

class Ledger {
 public:
  explicit Ledger(Calendar calendar);

  const Calendar& calendar() const { return calendar_; }
  std::size_t size() const { return bookings_.size(); }
  std::optional<Booking> find(BookingId id) const;

  // False, and nothing changed, when the id is taken or the booking does not fit. A booking that
  // ends before it begins, or of fewer than no processors, never fits.
  bool add(BookingId id, Interval window, Count procs);

  // Gives back [end, old end). False when there is no such booking or `end` is outside of it;
  // an end at its begin removes it.
  bool truncate(BookingId id, Time end);

  // False when there is no such booking.
  bool remove(BookingId id);

 private:
  Calendar calendar_;
  std::unordered_map<BookingId, Booking> bookings_;
};

}  // namespace dovetail
