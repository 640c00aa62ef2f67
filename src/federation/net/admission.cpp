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

Admission::Entry Admission::verify(Id id, const std::string& caller) {
  forget_unverified(id);
  return places_.ask(id, caller);
}

void Admission::forget_unverified(Id id) {
  const auto found = unverified_.find(id);
  if (found == unverified_.end()) return;
  const auto address = addresses_.find(found->second);
  address->second.erase(id);
  if (address->second.empty()) addresses_.erase(address);
  unverified_.erase(found);
}

std::vector<Admission::Id> Admission::leave(Id id) {
  forget_unverified(id);
  return places_.leave(id);
}

}  // namespace dovetail::federation
