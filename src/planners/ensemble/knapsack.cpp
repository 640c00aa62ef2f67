#include "planners/ensemble/knapsack.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <optional>

#include "planners/ensemble/grouping.hpp"

namespace dovetail::planning {

namespace {

constexpr std::uint16_t kNoSize = 0xFFFF;

// A sum of some thousand rates, as a double, is this near to the exact one and much nearer.
constexpr double kSurelyLess = 1 - 1e-9;

using Word = std::uint64_t;
__extension__ typedef unsigned __int128 TwoWords;

// Whole numbers of equally many words, lowest word first.
using Number = std::vector<Word>;

void multiply(Number& number, Word by) {
  Word carry = 0;
  for (Word& word : number) {
    const TwoWords product = TwoWords{word} * by + carry;
    word = static_cast<Word>(product);
    carry = static_cast<Word>(product >> 64U);
  }
  if (carry > 0) number.push_back(carry);
}

// Division without a rest.
void divide(Number& number, Word by) {
  TwoWords rest = 0;
  for (auto word = number.rbegin(); word != number.rend(); ++word) {
    const TwoWords whole = (rest << 64U) | *word;
    *word = static_cast<Word>(whole / by);
    rest = whole % by;
  }
  assert(rest == 0 && "it divides");
}

Word remainder(const Number& number, Word by) {
  TwoWords rest = 0;
  for (auto word = number.rbegin(); word != number.rend(); ++word) {
    rest = ((rest << 64U) | *word) % by;
  }
  return static_cast<Word>(rest);
}

Number common_multiple(std::span<const GroupTime> sizes) {
  Number multiple = {1};
  for (const GroupTime& size : sizes) {
    const auto time = static_cast<Word>(size.time);
    multiply(multiple, time / std::gcd(time, remainder(multiple, time)));
  }
  return multiple;
}

// 1 / T of every size over the common multiple, one after the other, with room for a sum of
// `terms` of them.
struct Rates {
  Rates(std::span<const GroupTime> sizes, Count terms) {
    const Number multiple = common_multiple(sizes);
    Number largest = multiple;
    multiply(largest, static_cast<Word>(terms));
    words = largest.size();
    for (const GroupTime& size : sizes) {
      Number rate = multiple;
      divide(rate, static_cast<Word>(size.time));
      rate.resize(words, 0);
      values.insert(values.end(), rate.begin(), rate.end());
    }
  }

  const Word* of(std::size_t size) const { return &values[size * words]; }

  void add(const Word* a, const Word* b, Word* sum) const {
    Word carry = 0;
    for (std::size_t i = 0; i < words; ++i) {
      const TwoWords both = TwoWords{a[i]} + b[i] + carry;
      sum[i] = static_cast<Word>(both);
      carry = static_cast<Word>(both >> 64U);
    }
  }

  bool exceeds(const Word* a, const Word* b) const {
    for (std::size_t i = words; i-- > 0;) {
      if (a[i] != b[i]) return a[i] > b[i];
    }
    return false;
  }

  std::size_t words = 0;
  Number values = {};
};

// Months a second of the best lists of exactly this number of groups, by processors.
class Layers {
 public:
  Layers(std::span<const GroupTime> sizes, Count processors, Count limit)
      : sizes_(sizes),
        rates_(sizes, limit),
        row_(static_cast<std::size_t>(processors) + 1),
        before_(row_ * rates_.words, 0),
        now_(row_ * rates_.words, 0),
        sum_(rates_.words, 0),
        best_(rates_.words, 0),
        before_about_(row_, 0),
        now_about_(row_, 0) {}

  // One group more. `previous` has the choices of the layer before, null for the first.
  void next(const std::uint16_t* previous, std::uint16_t* choice) {
    std::swap(before_, now_);
    std::swap(before_about_, now_about_);
    for (std::size_t used = 0; used < row_; ++used) choice[used] = choose(previous, used);
  }

  // How the list of this number of processors compares with the best so far; -1: it is worse.
  int compare(std::size_t used) const {
    if (rates_.exceeds(best_.data(), value(used))) return -1;
    return rates_.exceeds(value(used), best_.data()) ? 1 : 0;
  }

  void keep(std::size_t used) { std::copy_n(value(used), rates_.words, best_.begin()); }

 private:
  const Word* value(std::size_t used) const { return &now_[used * rates_.words]; }

  // What this number of processors gives with a group of size s and the best list of the rest;
  // nothing where there is none.
  std::optional<double> about(const std::uint16_t* previous, std::size_t used,
                              std::size_t s) const {
    const auto procs = static_cast<std::size_t>(sizes_[s].procs);
    if (procs > used) return std::nullopt;
    const std::size_t rest = used - procs;
    if (previous == nullptr ? rest != 0 : previous[rest] == kNoSize) return std::nullopt;
    return before_about_[rest] + 1.0 / static_cast<double>(sizes_[s].time);
  }

  // The largest size among equals: it is the largest of any best list, so that the rest of the best
  // list has no larger one. Only those that doubles cannot tell apart are compared exactly.
  std::uint16_t choose(const std::uint16_t* previous, std::size_t used) {
    double& most = now_about_[used] = 0;
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      most = std::max(most, about(previous, used, s).value_or(0));
    }
    Word* const value = &now_[used * rates_.words];
    std::fill_n(value, rates_.words, 0);
    std::uint16_t chosen = kNoSize;
    for (std::size_t s = sizes_.size(); s-- > 0;) {
      const auto sum_about = about(previous, used, s);
      if (!sum_about || *sum_about < most * kSurelyLess) continue;
      const std::size_t rest = used - static_cast<std::size_t>(sizes_[s].procs);
      rates_.add(&before_[rest * rates_.words], rates_.of(s), sum_.data());
      if (!rates_.exceeds(sum_.data(), value)) continue;
      std::copy(sum_.begin(), sum_.end(), value);
      chosen = static_cast<std::uint16_t>(s);
    }
    return chosen;
  }

  std::span<const GroupTime> sizes_;
  Rates rates_;
  std::size_t row_;
  Number before_;
  Number now_;
  Number sum_;
  Number best_;
  // The same values as doubles: most comparisons need no more.
  std::vector<double> before_about_;
  std::vector<double> now_about_;
};

}  // namespace

Knapsack::Knapsack(std::span<const GroupTime> sizes, Count processors, Count limit)
    : sizes_(sizes.begin(), sizes.end()), processors_(processors) {
  std::erase_if(sizes_, [&](const GroupTime& size) { return size.procs > processors; });
  assert(!sizes_.empty() && limit >= 1);
  limit_ = std::min(limit, processors / sizes_.front().procs);
  is_saturated_ = processors / fastest_size(sizes_).procs >= limit;
  if (!is_saturated_) solve();
}

void Knapsack::solve() {
  Layers layers(sizes_, processors_, limit_);
  const auto row = static_cast<std::size_t>(processors_) + 1;
  largest_.assign(static_cast<std::size_t>(limit_) * row, kNoSize);
  Used best;
  for (Count groups = 1; groups <= limit_; ++groups) {
    std::uint16_t* const choice = &largest_[static_cast<std::size_t>(groups - 1) * row];
    layers.next(groups == 1 ? nullptr : choice - row, choice);
    for (std::size_t used = 0; used < row; ++used) {
      if (choice[used] == kNoSize) continue;
      const Used candidate{groups, static_cast<Count>(used)};
      const int order = layers.compare(used);
      if (order < 0 || (order == 0 && !is_preferred(candidate, best))) continue;
      best = candidate;
      layers.keep(used);
    }
    best_.push_back(best);
  }
}

// Of two lists with as many months a second.
bool Knapsack::is_preferred(Used candidate, Used best) const {
  if (candidate.processors != best.processors) return candidate.processors < best.processors;
  return list_of(candidate) > list_of(best);
}

std::vector<Count> Knapsack::groups(Count limit) const {
  limit = std::min(limit, limit_);
  if (is_saturated_) {
    return std::vector<Count>(static_cast<std::size_t>(limit), fastest_size(sizes_).procs);
  }
  return list_of(best_[static_cast<std::size_t>(limit - 1)]);
}

std::vector<Count> Knapsack::list_of(Used used) const {
  std::vector<Count> list;
  const auto row = static_cast<std::size_t>(processors_) + 1;
  for (; used.groups > 0; --used.groups) {
    const auto layer = static_cast<std::size_t>(used.groups - 1) * row;
    list.push_back(sizes_[largest_[layer + static_cast<std::size_t>(used.processors)]].procs);
    used.processors -= list.back();
  }
  return list;
}

}  // namespace dovetail::planning
