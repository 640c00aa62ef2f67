#include "policies/raised.hpp"

#include <algorithm>
#include <bit>

namespace dovetail {

namespace {

// How many of 1, 2, 4, ... nodes fit into so many.
std::size_t sizes_within(Count nodes) {
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(nodes)));
}

Duration length(const Interval& gap) { return gap.end - gap.begin; }

// The first gap that ends at or after t.
std::vector<Interval>::const_iterator first_reaching(const std::vector<Interval>& list, Time t) {
  return std::lower_bound(list.begin(), list.end(), t,
                          [](const Interval& gap, Time time) { return gap.end < time; });
}

}  // namespace

void Raised::clear() {
  for (Gaps& gaps : gaps_) {
    gaps.list.clear();
    gaps.longest = 0;
  }
}

void Raised::record(Gaps& gaps, Interval gap) {
  const auto first = gaps.list.begin() + (first_reaching(gaps.list, gap.begin) - gaps.list.begin());
  auto last = first;
  for (; last != gaps.list.end() && last->begin <= gap.end; ++last) {
    gap = {std::min(gap.begin, last->begin), std::max(gap.end, last->end)};
  }
  if (first == last) {
    gaps.list.insert(first, gap);
  } else {
    *first = gap;
    gaps.list.erase(first + 1, last);
  }
  gaps.longest = std::max(gaps.longest, length(gap));
}

// The gaps of sizes first to last end here.
void Raised::close(std::size_t first, std::size_t last, Time end) {
  if (gaps_.size() < last) gaps_.resize(last);
  for (std::size_t k = first; k < last; ++k) record(gaps_[k], {begins_[k], end});
}

void Raised::add(Interval window, const Calendar& free, Duration longest) {
  const StepRange steps = free.steps({window.begin, window.end + longest});
  std::size_t open = sizes_within((*steps.begin()).free);
  reach_left(window.begin, open, free, longest);
  // Through the window and beyond: where gaps end, and where further ones begin.
  for (const Step& step : steps) {
    std::size_t fits = sizes_within(step.free);
    if (step.begin >= window.end) fits = std::min(fits, open);
    if (fits < open) close(fits, open, step.begin);
    if (fits > open) {
      begins_.resize(std::max(begins_.size(), fits));
      for (std::size_t k = open; k < fits; ++k) begins_[k] = step.begin;
    }
    open = fits;
    if (open == 0 && step.end >= window.end) return;
  }
  close(0, open, window.end + longest);
}

// Where each of the `open` gaps that reach into a window begins.
void Raised::reach_left(Time end, std::size_t open, const Calendar& free, Duration longest) {
  begins_.assign(open, end);
  if (open == 0) return;
  for (const Step& step : free.steps_back({end - longest, end})) {
    open = std::min(open, sizes_within(step.free));
    if (open == 0) return;
    for (std::size_t k = 0; k < open; ++k) begins_[k] = step.begin;
  }
}

Time Raised::first_chance(const Ask& ask, Time start) const {
  const std::size_t k = sizes_within(ask.nodes) - 1;
  if (k >= gaps_.size()) return kForever;
  const Gaps& gaps = gaps_[k];
  if (gaps.longest >= ask.length) {
    for (const Interval& gap : gaps.list) {
      if (gap.begin >= start) return kForever;
      if (gap.end >= start || length(gap) >= ask.length) return gap.begin;
    }
    return kForever;
  }
  const auto gap = first_reaching(gaps.list, start);
  return gap == gaps.list.end() || gap->begin >= start ? kForever : gap->begin;
}

void Raised::look_again(const Ask& ask, Time start, const Calendar& free) {
  const std::size_t k = sizes_within(ask.nodes) - 1;
  const Count nodes = Count{1} << k;
  Gaps& gaps = gaps_[k];
  std::vector<Interval> now;
  for (const Interval& gap : gaps.list) {
    const bool was_tried = gap.begin < start && (gap.end >= start || length(gap) >= ask.length);
    if (!was_tried) {
      now.push_back(gap);
      continue;
    }
    for (const Step& step : free.steps(gap)) {
      if (step.free < nodes) continue;
      if (!now.empty() && now.back().end == step.begin) {
        now.back().end = step.end;
      } else {
        now.push_back({step.begin, step.end});
      }
    }
  }
  gaps.list = std::move(now);
  gaps.longest = 0;
  for (const Interval& gap : gaps.list) gaps.longest = std::max(gaps.longest, length(gap));
}

}  // namespace dovetail
