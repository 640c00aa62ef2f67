#include "dovetail/calendar.hpp"

#include <algorithm>
#include <cassert>

namespace dovetail {
namespace {

using detail::Chunk;
using detail::Part;

// How many of the `size` items, sorted by time, lie before t. Summing comparisons instead of
// branching saves one misprediction per halving on random queries.
template <typename Item, typename TimeOf>
std::size_t count_before(const Item* items, std::size_t size, Time t, const TimeOf& time_of) {
  const Item* base = items;
  while (size > 1) {
    const std::size_t half = size / 2;
    base += static_cast<std::size_t>(time_of(base[half - 1]) < t) * half;
    size -= half;
  }
  const auto passed = static_cast<std::size_t>(base - items);
  return size == 0 ? passed : passed + static_cast<std::size_t>(time_of(*base) < t);
}

std::uint32_t count_before(const Time* times, std::uint32_t size, Time t) {
  return static_cast<std::uint32_t>(
      count_before(times, std::size_t{size}, t, [](Time time) { return time; }));
}

// The scans below look at this many counts with one branch. The sign of `count - bound` says
// whether a count is below the bound; or-ing and and-ing signs is what compilers turn into vectors.
constexpr std::uint32_t kStride = 8;

bool any_below(const Count* free, Count bound) {
  Count signs = 0;
  for (std::uint32_t k = 0; k < kStride; ++k) signs |= free[k] - bound;
  return signs < 0;
}

bool all_below(const Count* free, Count bound) {
  Count signs = -1;
  for (std::uint32_t k = 0; k < kStride; ++k) signs &= free[k] - bound;
  return signs < 0;
}

// The first i in [first, last) with free[i] < bound; `last` when there is none.
std::uint32_t first_below(const Count* free, std::uint32_t first, std::uint32_t last, Count bound) {
  while (last - first >= kStride && !any_below(free + first, bound)) first += kStride;
  while (first < last && free[first] >= bound) ++first;
  return first;
}

// One more than the last i in [first, last) with free[i] < bound; `first` when there is none.
std::uint32_t past_last_below(const Count* free, std::uint32_t first, std::uint32_t last,
                              Count bound) {
  while (last - first >= kStride && !any_below(free + last - kStride, bound)) last -= kStride;
  while (last > first && free[last - 1] >= bound) --last;
  return last;
}

// The first i in [first, last) with free[i] >= bound; `last` when there is none.
std::uint32_t first_reaching(const Count* free, std::uint32_t first, std::uint32_t last,
                             Count bound) {
  while (last - first >= kStride && all_below(free + first, bound)) first += kStride;
  while (first < last && free[first] < bound) ++first;
  return first;
}

// One more than the last i in [first, last) with free[i] >= bound; `first` when there is none.
std::uint32_t past_last_reaching(const Count* free, std::uint32_t first, std::uint32_t last,
                                 Count bound) {
  while (last - first >= kStride && all_below(free + last - kStride, bound)) last -= kStride;
  while (last > first && free[last - 1] < bound) --last;
  return last;
}

// A position at a step of the calendar, moved by searches that skip whole parts where they can. A
// step is blocked when it has fewer than `procs` free processors.
//
// A window is searched from its far end: a blocker there rules out every start up to it, so the
// steps in between are never read.
class Cursor {
 public:
  Cursor(std::span<const Part> parts, std::size_t part, std::uint32_t slot, Count procs)
      : part_(parts.data() + part),
        first_part_(parts.data()),
        end_part_(parts.data() + parts.size()),
        slot_(slot),
        procs_(procs) {}

  Time begin() const { return part_->time(slot_); }

  Time end() const {
    if (slot_ + 1 < part_->size) return part_->time(slot_ + 1);
    return part_ + 1 < end_part_ ? part_[1].first : kForever;
  }

  // Moves to a blocked step that begins before `end`, the last of them in its part; false when all
  // steps from here to `end` are free.
  bool to_blocked(Time end) {
    for (;;) {
      const bool is_last = part_ + 1 == end_part_ || part_[1].first >= end;
      if (part_->min < procs_) {
        const Chunk& chunk = *part_->chunk.get();
        const Count bound = procs_ - part_->add;
        std::uint32_t i = part_->size;
        if (is_last) i = slot_ + count_before(chunk.times + slot_, part_->size - slot_, end);
        i = past_last_below(chunk.free, slot_, i, bound);
        if (i > slot_) {
          slot_ = i - 1;
          return true;
        }
      }
      if (is_last) return false;
      ++part_;
      slot_ = 0;
    }
  }

  // Moves on to the first step that is not blocked and begins by `last`; false when there is none.
  bool to_free(Time last) {
    for (;;) {
      if (part_->max >= procs_) {
        const Chunk& chunk = *part_->chunk.get();
        const Count bound = procs_ - part_->add;
        slot_ = first_reaching(chunk.free, slot_, part_->size, bound);
        if (slot_ < part_->size) return chunk.times[slot_] <= last;
      }
      if (++part_ == end_part_ || part_->first > last) return false;
      slot_ = 0;
    }
  }

  // Moves back to a blocked step that ends after `begin`, the first of them in its part; false when
  // all steps from `begin` to here are free. Needs this step to end after `begin`.
  bool back_to_blocked(Time begin) {
    for (;;) {
      const bool is_last = part_->first <= begin || part_ == first_part_;
      if (part_->min < procs_) {
        const Chunk& chunk = *part_->chunk.get();
        const Count bound = procs_ - part_->add;
        std::uint32_t i = 0;
        if (part_->first <= begin) i = count_before(chunk.times, slot_ + 1, begin + 1) - 1;
        i = first_below(chunk.free, i, slot_ + 1, bound);
        if (i <= slot_) {
          slot_ = i;
          return true;
        }
      }
      if (is_last) return false;
      --part_;
      slot_ = part_->size - 1;
    }
  }

  // Moves back to the last step that is not blocked and ends after `first`; false when there is
  // none.
  bool back_to_free(Time first) {
    for (;;) {
      if (part_->max >= procs_) {
        const Chunk& chunk = *part_->chunk.get();
        const Count bound = procs_ - part_->add;
        const std::uint32_t i = past_last_reaching(chunk.free, 0, slot_ + 1, bound);
        if (i > 0) {
          slot_ = i - 1;
          return end() > first;
        }
      }
      if (part_ == first_part_ || part_->first <= first) return false;
      --part_;
      slot_ = part_->size - 1;
    }
  }

 private:
  const Part* part_;
  const Part* first_part_;
  const Part* end_part_;
  std::uint32_t slot_;
  Count procs_;
};

}  // namespace

Calendar::Place Calendar::place_of(Time t) const {
  t = std::min(t, kForever);
  const std::size_t index = count_before(parts_.data(), parts_.size(), t + 1,
                                         [](const Part& part) { return part.first; }) -
                            1;
  const Part& part = parts_[index];
  return {index, count_before(part.chunk->times, part.size, t + 1) - 1};
}

Count Calendar::free_at(Time t) const {
  if (t < origin()) return 0;
  const Place place = place_of(t);
  return parts_[place.part].free(place.slot);
}

Count Calendar::min_free(Interval window) const {
  if (window.begin >= window.end) return kMaxProcessors;
  if (window.begin < origin()) return 0;
  auto [index, slot] = place_of(window.begin);
  Count least = parts_[index].free(slot);
  for (; index < parts_.size() && parts_[index].first < window.end; ++index, slot = 0) {
    const Part& part = parts_[index];
    if (part.min >= least) continue;
    for (; slot < part.size && part.time(slot) < window.end; ++slot) {
      least = std::min(least, part.free(slot));
    }
  }
  return least;
}

bool Calendar::fits(Interval window, Count procs) const {
  if (procs <= 0 || window.begin >= window.end) return true;
  if (window.begin < origin()) return false;
  const Place place = place_of(window.begin);
  return !Cursor(parts_, place.part, place.slot, procs).to_blocked(window.end);
}

std::optional<Time> Calendar::earliest_fit(Count procs, Duration length, Time ready,
                                           Time limit) const {
  length = std::max<Duration>(length, 0);
  const Time last_start = std::min(limit, kForever) - length;
  Time start = std::max(ready, origin());
  if (start > last_start) return std::nullopt;
  if (length == 0 || procs <= 0) return start;
  const Place place = place_of(start);
  Cursor cursor(parts_, place.part, place.slot, procs);
  while (cursor.to_blocked(start + length)) {
    if (!cursor.to_free(last_start)) return std::nullopt;
    start = cursor.begin();
  }
  return start;
}

std::optional<Time> Calendar::latest_fit(Count procs, Duration length, Time ready,
                                         Time deadline) const {
  length = std::max<Duration>(length, 0);
  const Time first_start = std::max(ready, origin());
  Time end = std::min(deadline, kForever);
  if (end - length < first_start) return std::nullopt;
  if (length == 0 || procs <= 0) return end - length;
  const Place place = place_of(end - 1);
  Cursor cursor(parts_, place.part, place.slot, procs);
  while (cursor.back_to_blocked(end - length)) {
    if (!cursor.back_to_free(first_start + length - 1)) return std::nullopt;
    end = cursor.end();
  }
  return end - length;
}

double Calendar::mean_free(Interval window) const {
  assert(window.begin < window.end);
  double sum = 0;
  for (const Step& step : steps(window)) {
    sum += static_cast<double>(step.free) * static_cast<double>(step.end - step.begin);
  }
  return sum / static_cast<double>(window.end - window.begin);
}

StepRange Calendar::steps(Interval window) const { return StepRange(*this, window); }
BackStepRange Calendar::steps_back(Interval window) const { return BackStepRange(*this, window); }
StepRange Calendar::steps() const { return StepRange(*this, {origin(), kForever}); }

std::size_t Calendar::step_count() const {
  std::size_t count = 0;
  for (const Part& part : parts_) count += part.size;
  return count;
}

bool operator==(const Calendar& a, const Calendar& b) {
  return a.step_count() == b.step_count() && std::ranges::equal(a.steps(), b.steps());
}

StepRange::StepRange(const Calendar& calendar, Interval window) {
  window.end = std::min(window.end, kForever);
  window.begin = std::min(window.begin, window.end);
  begin_.limit_ = end_.limit_ = window.end;
  begin_.step_.begin = window.begin;
  end_.step_ = {window.end, window.end, 0};
  if (window.begin == window.end) return;

  const std::vector<Part>& parts = calendar.parts_;
  begin_.last_ = parts.data() + parts.size();
  const Time origin = calendar.origin();
  if (window.begin >= origin) {
    const auto [part, slot] = calendar.place_of(window.begin);
    begin_.enter(&parts[part], slot);
    begin_.load();
    return;
  }
  // Nothing is free before the origin. If nothing is free just after it either, the two pieces are
  // one step.
  begin_.enter(&parts[0], 0);
  if (window.end <= origin || parts[0].free(0) > 0) {
    begin_.step_ = {window.begin, std::min(origin, window.end), 0};
  } else {
    begin_.load();
  }
}

BackStepRange::BackStepRange(const Calendar& calendar, Interval window) {
  window.end = std::min(window.end, kForever);
  window.begin = std::min(window.begin, window.end);
  begin_.limit_ = end_.limit_ = window.begin;
  begin_.step_.end = window.end;
  end_.step_ = {window.begin, window.begin, 0};
  if (window.begin == window.end) return;
  if (window.end > calendar.origin()) {
    const auto [part, slot] = calendar.place_of(window.end - 1);
    begin_.first_ = calendar.parts_.data();
    begin_.part_ = begin_.first_ + part;
    begin_.slot_ = slot;
  }
  begin_.load();
}

}  // namespace dovetail
