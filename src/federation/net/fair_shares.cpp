#include "federation/net/fair_shares.hpp"

#include <algorithm>

namespace dovetail::federation {

bool FairShares::is_within_share(const Wish& wish) const {
  const auto share = shares_.find(wish.caller);
  const std::size_t has = share == shares_.end() ? 0 : share->second.units;
  return has + wish.units <= limits_.units_per_caller();
}

bool FairShares::waits_anything_for_room() const {
  return std::ranges::any_of(waiting_,
                             [this](const auto& one) { return is_within_share(one.second); });
}

void FairShares::begin(Id id, const Wish& wish) {
  Share& share = shares_[wish.caller];
  share.units += wish.units;
  ++share.holding;
  used_ += wish.units;
  served_.emplace(id, wish);
}

FairShares::Entry FairShares::ask(Id id, const std::string& caller, std::size_t units) {
  const Wish wish{caller, units};
  if (units > limits_.units_per_caller()) return Entry::refused;
  if (is_within_share(wish) && has_room(wish) && !waits_anything_for_room()) {
    begin(id, wish);
    return Entry::begins;
  }
  const auto share = shares_.find(caller);
  const std::size_t waits = share == shares_.end() ? 0 : share->second.waiting;
  if (waiting_.size() >= limits_.waiting || waits >= limits_.waiting_per_caller()) {
    return Entry::refused;
  }
  ++shares_[caller].waiting;
  waiting_.emplace(id, wish);
  return Entry::waits;
}

void FairShares::forget(Id id) {
  for (const bool is_served : {true, false}) {
    auto& wishes = is_served ? served_ : waiting_;
    const auto found = wishes.find(id);
    if (found == wishes.end()) continue;
    const Wish& wish = found->second;
    const auto share = shares_.find(wish.caller);
    if (is_served) {
      used_ -= wish.units;
      share->second.units -= wish.units;
      --share->second.holding;
    } else {
      --share->second.waiting;
    }
    if (share->second.holding + share->second.waiting == 0) shares_.erase(share);
    wishes.erase(found);
  }
}

std::vector<FairShares::Id> FairShares::leave(Id id) {
  forget(id);
  std::vector<Id> begun;
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    if (!is_within_share(next->second)) {
      ++next;
      continue;
    }
    if (!has_room(next->second)) break;
    begun.push_back(next->first);
    begin(next->first, next->second);
    --shares_[next->second.caller].waiting;
    next = waiting_.erase(next);
  }
  return begun;
}

}  // namespace dovetail::federation
