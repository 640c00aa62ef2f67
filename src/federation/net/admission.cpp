#include "federation/net/admission.hpp"

#include <algorithm>
#include <ranges>

namespace dovetail::federation {

std::optional<Admission::Id> Admission::arrive(Id id, const std::string& address,
                                               const std::function<bool(Id)>& is_silent) {
  std::set<Id>& neighbours = addresses_[address];
  std::optional<Id> oldest;
  if (neighbours.size() >= limits_.unverified_per_address) {
    const auto silent = std::ranges::find_if(neighbours, is_silent);
    oldest = silent == neighbours.end() ? *neighbours.begin() : *silent;
  } else if (unverified_.size() >= limits_.unverified) {
    const auto silent = std::ranges::find_if(std::views::keys(unverified_), is_silent).base();
    oldest = (silent == unverified_.end() ? unverified_.begin() : silent)->first;
  }
  unverified_.emplace(id, address);
  neighbours.insert(id);
  return oldest;
}

bool Admission::is_crowded(const std::string& address) const {
  const auto neighbours = addresses_.find(address);
  return unverified_.size() > limits_.unverified / 4 ||
         (neighbours != addresses_.end() &&
          neighbours->second.size() > limits_.unverified_per_address / 4);
}

bool Admission::may_begin(const Share& share) const {
  return served_.size() < limits_.places && share.places < limits_.per_caller();
}

Admission::Entry Admission::verify(Id id, const std::string& caller) {
  forget_unverified(id);
  Share& share = shares_[caller];
  if (may_begin(share)) {
    ++share.places;
    served_.emplace(id, caller);
    return Entry::begins;
  }
  if (waiting_.size() >= limits_.places || share.waiting >= limits_.per_caller()) {
    if (share.places + share.waiting == 0) shares_.erase(caller);
    return Entry::refused;
  }
  ++share.waiting;
  waiting_.emplace(id, caller);
  return Entry::waits;
}

void Admission::forget_unverified(Id id) {
  const auto found = unverified_.find(id);
  if (found == unverified_.end()) return;
  const auto address = addresses_.find(found->second);
  address->second.erase(id);
  if (address->second.empty()) addresses_.erase(address);
  unverified_.erase(found);
}

void Admission::forget_verified(Id id) {
  for (const bool is_served : {true, false}) {
    auto& connections = is_served ? served_ : waiting_;
    const auto found = connections.find(id);
    if (found == connections.end()) continue;
    const auto share = shares_.find(found->second);
    --(is_served ? share->second.places : share->second.waiting);
    if (share->second.places + share->second.waiting == 0) shares_.erase(share);
    connections.erase(found);
  }
}

std::vector<Admission::Id> Admission::leave(Id id) {
  forget_unverified(id);
  forget_verified(id);
  std::vector<Id> begin;
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    if (served_.size() >= limits_.places) break;
    Share& share = shares_[next->second];
    if (!may_begin(share)) {
      ++next;
      continue;
    }
    --share.waiting;
    ++share.places;
    begin.push_back(next->first);
    served_.insert(*next);
    next = waiting_.erase(next);
  }
  return begin;
}

}  // namespace dovetail::federation
