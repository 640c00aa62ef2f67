// Which connections of a server begin, which wait for a place, and which must go.
//
//   Admission admission(limits);
//   if (const auto oldest = admission.arrive(id, "192.0.2.7")) cut(*oldest);
//   if (admission.verify(id, "client alice") == Admission::Entry::begins) read(id);
//   for (const auto next : admission.leave(id)) read(next);
//
// A place is taken only once the caller's certificate is verified. Until then a connection counts
// against two other limits, for all addresses and for its own. When one of them is reached, the
// oldest connection that has said nothing goes, or else the oldest: a caller that means it begins
// to speak and shows its certificate within milliseconds, also in the middle of a flood from its
// own address.
//
// One caller cannot have all places. Not safe to use from several threads.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "federation/net/fair_shares.hpp"

namespace dovetail::federation {

class Admission {
 public:
  using Id = FairShares::Id;  // later connections have larger ones

  struct Limits {
    std::size_t places = 64;
    std::size_t unverified = 256;
    std::size_t unverified_per_address = 128;
  };

  using Entry = FairShares::Entry;

  explicit Admission(const Limits& limits)
      : limits_(limits), places_({.units = limits.places, .waiting = limits.places}) {}

  // Adds a connection without a certificate. Returns the one that must go for it.
  std::optional<Id> arrive(
      Id id, const std::string& address,
      const std::function<bool(Id)>& is_silent = [](Id) { return true; });

  // Whether many connections without a certificate are there, of that address or in all. Then none
  // of them should be waited for long.
  bool is_crowded(const std::string& address) const;

  // The certificate is verified: the caller begins, or waits for its turn. It is refused when as
  // many wait already as there are places. Needs arrive(id).
  Entry verify(Id id, const std::string& caller);

  // Removes a connection, whatever its state. Returns those that begin now.
  std::vector<Id> leave(Id id);

 private:
  void forget_unverified(Id id);

  Limits limits_;
  std::map<Id, std::string> unverified_;  // their addresses
  std::map<std::string, std::set<Id>> addresses_;
  FairShares places_;  // of the verified ones
};

}  // namespace dovetail::federation
