// Shares out units that a server has few of, such as places or bytes, among its callers.
//
//   FairShares bytes({.units = 64'000'000, .waiting = 64});
//   if (bytes.ask(id, "client alice", 500'000) == FairShares::Entry::begins) read(id);
//   for (const auto next : bytes.leave(id)) read(next);
//
// One caller cannot have all units, nor all places to wait in. Of those that wait the oldest begins
// first, and nothing smaller overtakes it; only a caller that has its share already is passed over.
// Not safe to use from several threads.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dovetail::federation {

class FairShares {
 public:
  using Id = std::uint64_t;  // later ones are larger

  struct Limits {
    std::size_t units = 64;
    std::size_t waiting = 64;  // that many may wait

    // Of the units, and of those that wait.
    std::size_t units_per_caller() const { return units - units / 4; }
    std::size_t waiting_per_caller() const { return waiting - waiting / 4; }
  };

  enum class Entry { begins, waits, refused };

  explicit FairShares(const Limits& limits) : limits_(limits) {}

  // It has its units, or waits for them. It is refused when too many wait already, or when it wants
  // more than one caller may have. Needs an id that neither has units nor waits.
  Entry ask(Id id, const std::string& caller, std::size_t units = 1);

  // Gives back what it has, or ends its waiting. Returns those that have their units now.
  std::vector<Id> leave(Id id);

  std::size_t used() const { return used_; }

 private:
  struct Wish {
    std::string caller;
    std::size_t units = 0;
  };
  struct Share {
    std::size_t units = 0;
    std::size_t holding = 0;
    std::size_t waiting = 0;
  };

  bool is_within_share(const Wish& wish) const;
  bool has_room(const Wish& wish) const { return used_ + wish.units <= limits_.units; }
  bool waits_anything_for_room() const;
  void begin(Id id, const Wish& wish);
  void forget(Id id);

  Limits limits_;
  std::size_t used_ = 0;
  std::map<Id, Wish> served_;
  std::map<Id, Wish> waiting_;
  std::map<std::string, Share> shares_;  // by caller
};

}  // namespace dovetail::federation
