#include "queue/sim/tally.hpp"

#include <algorithm>
#include <cmath>

namespace dovetail {

void Tally::add(Duration value) {
  recent_.push_back(value);
  ++count_;
  // So rarely that all sorting in together costs no more than a few steps a value.
  if (recent_.size() >= std::max(kRecent, entries_.size())) sort_in();
}

void Tally::sort_in() {
  std::ranges::sort(recent_);
  std::vector<TallyEntry> merged;
  merged.reserve(entries_.size());
  const auto put = [&merged](Duration value, std::uint64_t times) {
    if (!merged.empty() && merged.back().value == value) {
      merged.back().times += times;
    } else {
      merged.push_back({value, times});
    }
  };
  auto old = entries_.begin();
  for (const Duration value : recent_) {
    for (; old != entries_.end() && old->value <= value; ++old) put(old->value, old->times);
    put(value, 1);
  }
  for (; old != entries_.end(); ++old) put(old->value, old->times);
  entries_ = std::move(merged);
  recent_.clear();
}

Duration Tally::at(std::uint64_t rank) {
  sort_in();
  std::uint64_t below = 0;
  for (const TallyEntry& entry : entries_) {
    below += entry.times;
    if (below >= rank) return entry.value;
  }
  return 0;
}

Duration Tally::quantile(double share) {
  const double rank = std::ceil(share * static_cast<double>(count_));
  return at(std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rank), 1,
                                      std::max<std::uint64_t>(count_, 1)));
}

double Tally::median() {
  const Duration lower = at((count_ + 1) / 2);
  const Duration upper = at(count_ / 2 + 1);
  return (static_cast<double>(lower) + static_cast<double>(upper)) / 2;
}

}  // namespace dovetail
