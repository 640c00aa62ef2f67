#include "queue/policies/block_calendar.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace dovetail::queue {

namespace {

constexpr std::size_t kBits = 64;

// Bits [from, to) of a word.
std::uint64_t bits(std::size_t from, std::size_t to) {
  const std::uint64_t below_to = to >= kBits ? ~std::uint64_t{0} : (std::uint64_t{1} << to) - 1;
  return below_to & ~((std::uint64_t{1} << from) - 1);
}

}  // namespace

BlockCalendar::BlockCalendar(Count nodes, Time origin)
    : nodes_(nodes),
      words_((static_cast<std::size_t>(nodes) + kBits - 1) / kBits),
      times_{origin},
      taken_(words_, 0) {
  const std::size_t used = static_cast<std::size_t>(nodes) % kBits;
  if (used != 0) taken_.back() = bits(used, kBits);
}

std::size_t BlockCalendar::step_at(Time t) const {
  const auto after = std::upper_bound(times_.begin(), times_.end(), t);
  return static_cast<std::size_t>(after - times_.begin()) - 1;
}

void BlockCalendar::merge(std::vector<MaskWord>& mask, std::size_t step) const {
  const MaskWord* more = taken(step);
  for (std::size_t w = 0; w < words_; ++w) mask[w] |= more[w];
}

Count BlockCalendar::lowest_run(const std::vector<MaskWord>& mask, Count nodes) const {
  Count run = 0;  // free nodes up to here
  for (std::size_t w = 0; w < words_; ++w) {
    MaskWord word = mask[w];
    std::size_t left = kBits;
    while (left > 0) {
      const auto base = static_cast<Count>(w * kBits + (kBits - left));
      const auto open = std::min(left, static_cast<std::size_t>(std::countr_zero(word)));
      run += static_cast<Count>(open);
      if (run >= nodes) return base + static_cast<Count>(open) - run;
      left -= open;
      if (left == 0) break;
      run = 0;
      word = open == 0 ? word : word >> open;
      const auto closed = static_cast<std::size_t>(std::countr_one(word));
      if (closed >= left) break;
      word >>= closed;
      left -= closed;
    }
  }
  return -1;
}

BlockSlot BlockCalendar::earliest_fit(Count nodes, Duration length, Time ready) const {
  assert(nodes >= 1 && nodes <= nodes_);
  std::vector<MaskWord> mask(words_);
  Time start = std::max(ready, times_.front());
  std::size_t first = step_at(start);
  for (;;) {
    std::fill(mask.begin(), mask.end(), 0);
    std::size_t step = first;
    Count block = 0;
    while (step < times_.size() && (step == first || times_[step] < start + length)) {
      merge(mask, step);
      block = lowest_run(mask, nodes);
      if (block < 0) break;
      ++step;
    }
    if (block >= 0) return {start, block};
    // The steps from `first` to `step` leave no block. Every start at or before the last step that
    // already leaves none together with those up to `step` fails alike.
    std::fill(mask.begin(), mask.end(), 0);
    std::size_t culprit = step;
    for (;; --culprit) {
      merge(mask, culprit);
      if (lowest_run(mask, nodes) < 0) break;
    }
    first = culprit + 1;
    assert(first < times_.size());
    start = times_[first];
  }
}

Count BlockCalendar::lowest_block(Interval window, Count nodes) const {
  std::vector<MaskWord> mask(words_);
  for (std::size_t step = step_at(std::max(window.begin, times_.front()));
       step < times_.size() && times_[step] < window.end; ++step) {
    merge(mask, step);
  }
  return lowest_run(mask, nodes);
}

std::size_t BlockCalendar::split_at(Time t) {
  const std::size_t step = step_at(t);
  if (times_[step] == t) return step;
  times_.insert(times_.begin() + static_cast<std::ptrdiff_t>(step) + 1, t);
  const auto from = static_cast<std::ptrdiff_t>(step * words_);
  const std::vector<MaskWord> copy(taken_.begin() + from,
                                   taken_.begin() + from + static_cast<std::ptrdiff_t>(words_));
  taken_.insert(taken_.begin() + from + static_cast<std::ptrdiff_t>(words_), copy.begin(),
                copy.end());
  return step + 1;
}

void BlockCalendar::set(Interval window, Count first, Count nodes, bool take) {
  window.begin = std::max(window.begin, times_.front());
  if (window.begin >= window.end) return;
  const std::size_t begin = split_at(window.begin);
  const std::size_t end = split_at(window.end);
  const auto from = static_cast<std::size_t>(first);
  const auto to = from + static_cast<std::size_t>(nodes);
  for (std::size_t step = begin; step < end; ++step) {
    for (std::size_t w = from / kBits; w * kBits < to; ++w) {
      const MaskWord mask = bits(from > w * kBits ? from - w * kBits : 0, to - w * kBits);
      MaskWord& word = taken_[step * words_ + w];
      assert(take ? (word & mask) == 0 : (word & mask) == mask);
      word = take ? word | mask : word & ~mask;
    }
  }
  // Neighbours alike become one step again; only the two ends can have become so.
  for (const std::size_t step : {end, begin}) {
    if (step == 0 || step >= times_.size()) continue;
    if (!std::equal(taken(step), taken(step) + words_, taken(step - 1))) continue;
    times_.erase(times_.begin() + static_cast<std::ptrdiff_t>(step));
    const auto at = taken_.begin() + static_cast<std::ptrdiff_t>(step * words_);
    taken_.erase(at, at + static_cast<std::ptrdiff_t>(words_));
  }
}

Count BlockCalendar::free_at(Time t) const {
  if (t < times_.front()) return 0;
  const MaskWord* step = taken(step_at(t));
  Count count = 0;
  for (std::size_t w = 0; w < words_; ++w) count += std::popcount(~step[w]);
  return count;
}

void BlockCalendar::forget_before(Time now) {
  if (now <= times_.front()) return;
  const std::size_t step = step_at(now);
  times_.erase(times_.begin(), times_.begin() + static_cast<std::ptrdiff_t>(step));
  taken_.erase(taken_.begin(), taken_.begin() + static_cast<std::ptrdiff_t>(step * words_));
  times_.front() = now;
}

}  // namespace dovetail::queue
