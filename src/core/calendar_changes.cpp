// The operations that change a calendar; calendar.cpp has the queries.
//
// A change first makes sure that change points exist where its window begins and ends, then updates
// the steps between them, and finally drops either of the two points if it has become redundant.
#include <algorithm>
#include <cassert>
#include <utility>

#include "dovetail/calendar.hpp"

namespace dovetail {
namespace {

using detail::Chunk;
using detail::ChunkPtr;
using detail::Part;

// Two neighbours with at most this many change points in total become one part; the distance to
// kCapacity keeps parts from splitting and joining in turns.
constexpr std::uint32_t kJoinSize = Chunk::kCapacity / 2;

// Parts built in one go keep some room to grow.
constexpr std::uint32_t kBuiltSize = Chunk::kCapacity * 3 / 4;

// Gives the part a chunk of its own, with nothing left to add.
void open(Part& part) {
  if (part.chunk.is_shared()) {
    ChunkPtr own = ChunkPtr::make();
    std::copy_n(part.chunk->times, part.size, own->times);
    std::copy_n(part.chunk->free, part.size, own->free);
    part.chunk = std::move(own);
  }
  if (part.add == 0) return;
  for (std::uint32_t i = 0; i < part.size; ++i) part.chunk->free[i] += part.add;
  part.add = 0;
}

// Updates the directory's entry of an open part.
void refresh(Part& part) {
  const Count* free = part.chunk->free;
  Count min = free[0];
  Count max = free[0];
  for (std::uint32_t i = 1; i < part.size; ++i) {
    min = std::min(min, free[i]);
    max = std::max(max, free[i]);
  }
  part.first = part.chunk->times[0];
  part.min = min;
  part.max = max;
}

// The change points of `from` in [first, last), as a part with room to grow.
Part cut_out(const Part& from, std::uint32_t first, std::uint32_t last) {
  Part result;
  result.size = last - first;
  result.chunk = ChunkPtr::make();
  std::copy(from.chunk->times + first, from.chunk->times + last, result.chunk->times);
  std::transform(from.chunk->free + first, from.chunk->free + last, result.chunk->free,
                 [&](Count free) { return free + from.add; });
  refresh(result);
  return result;
}

void add_to_slots(Part& part, std::uint32_t first, std::uint32_t last, Count change) {
  if (first == 0 && last == part.size) {
    part.add += change;
    part.min += change;
    part.max += change;
    return;
  }
  open(part);
  for (std::uint32_t i = first; i < last; ++i) part.chunk->free[i] += change;
  refresh(part);
}

// Collects steps in order of time, joins equal neighbours, and distributes them over parts.
class PartsBuilder {
 public:
  void append(Time begin, Count free) {
    if (!parts_.empty() && last_ == free) return;
    if (parts_.empty() || parts_.back().size == kBuiltSize) {
      if (!parts_.empty()) refresh(parts_.back());
      parts_.emplace_back().chunk = ChunkPtr::make();
    }
    Part& part = parts_.back();
    part.chunk->times[part.size] = begin;
    part.chunk->free[part.size] = free;
    ++part.size;
    last_ = free;
  }

  std::vector<Part> take() {
    refresh(parts_.back());
    return std::move(parts_);
  }

 private:
  std::vector<Part> parts_;
  Count last_ = 0;
};

struct CountChange {
  Time time;
  Count change;
};

// Sorted by time; ends at kForever are left out.
std::vector<CountChange> changes_of(std::span<const Booking> bookings) {
  std::vector<CountChange> changes;
  changes.reserve(2 * bookings.size());
  for (const auto& [window, procs] : bookings) {
    if (window.begin >= window.end || procs == 0) continue;
    changes.push_back({window.begin, -procs});
    if (window.end < kForever) changes.push_back({window.end, procs});
  }
  std::ranges::sort(changes, {}, &CountChange::time);
  return changes;
}

}  // namespace

Calendar::Calendar(Count capacity, Time origin) {
  assert(capacity >= 0 && origin < kForever);
  PartsBuilder builder;
  builder.append(origin, capacity);
  parts_ = builder.take();
}

Calendar::Calendar(std::span<const Step> steps) {
  assert(!steps.empty());
  PartsBuilder builder;
  [[maybe_unused]] Time end = steps.front().begin;
  for (const Step& step : steps) {
    assert(step.begin == end && step.end > step.begin);
    builder.append(step.begin, step.free);
    end = step.end;
  }
  parts_ = builder.take();
}

// Makes sure that a change point lies at t, which must be in [origin, kForever).
Calendar::Place Calendar::split_at(Time t) {
  Place place = place_of(t);
  if (parts_[place.part].time(place.slot) == t) return place;
  if (parts_[place.part].size == Chunk::kCapacity) {
    split_part(place.part);
    place = place_of(t);
  }
  Part& part = parts_[place.part];
  open(part);
  ++place.slot;
  Time* times = part.chunk->times;
  Count* free = part.chunk->free;
  std::copy_backward(times + place.slot, times + part.size, times + part.size + 1);
  std::copy_backward(free + place.slot, free + part.size, free + part.size + 1);
  times[place.slot] = t;
  free[place.slot] = free[place.slot - 1];
  ++part.size;
  return place;
}

void Calendar::split_part(std::size_t index) {
  const std::uint32_t half = parts_[index].size / 2;
  Part later = cut_out(parts_[index], half, parts_[index].size);
  Part& part = parts_[index];
  open(part);
  part.size = half;
  refresh(part);
  parts_.insert(parts_.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(later));
}

// Drops the change point if the step before it is equal.
void Calendar::join_at(Place place) {
  if (place.part == parts_.size() || (place.part == 0 && place.slot == 0)) return;
  const Part& before = parts_[place.slot > 0 ? place.part : place.part - 1];
  const std::uint32_t slot_before = (place.slot > 0 ? place.slot : before.size) - 1;
  Part& part = parts_[place.part];
  if (before.free(slot_before) != part.free(place.slot)) return;
  if (part.size == 1) {
    parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(place.part));
    return;
  }
  open(part);
  Time* times = part.chunk->times;
  Count* free = part.chunk->free;
  std::copy(times + place.slot + 1, times + part.size, times + place.slot);
  std::copy(free + place.slot + 1, free + part.size, free + place.slot);
  --part.size;
  if (place.slot == 0) refresh(part);
}

// Joins the part with its neighbours while they are small. Any index will do.
void Calendar::join_parts_near(std::size_t index) {
  std::size_t left = index == 0 ? 0 : index - 1;
  for (int tries = 0; tries < 2 && left + 1 < parts_.size(); ++tries) {
    Part& part = parts_[left];
    const Part& next = parts_[left + 1];
    if (part.size + next.size > kJoinSize) {
      ++left;
      continue;
    }
    open(part);
    std::copy_n(next.chunk->times, next.size, part.chunk->times + part.size);
    std::transform(next.chunk->free, next.chunk->free + next.size, part.chunk->free + part.size,
                   [&](Count free) { return free + next.add; });
    part.size += next.size;
    refresh(part);
    parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(left) + 1);
  }
}

void Calendar::add(Interval window, Count change) {
  if (window.begin >= window.end || change == 0) return;
  Place last{parts_.size(), 0};
  Place first = split_at(window.begin);
  if (window.end < kForever) {
    const std::size_t parts_before = parts_.size();
    last = split_at(window.end);
    if (parts_.size() != parts_before) first = place_of(window.begin);
  } else {
    last.part = parts_.size();
  }
  for (std::size_t i = first.part; i < parts_.size() && i <= last.part; ++i) {
    const std::uint32_t from = i == first.part ? first.slot : 0;
    const std::uint32_t to = i == last.part ? last.slot : parts_[i].size;
    if (from < to) add_to_slots(parts_[i], from, to, change);
  }
  join_at(last);
  join_at(first);
  join_parts_near(last.part);
  join_parts_near(first.part);
}

void Calendar::reserve(Interval window, Count procs) {
  assert(procs >= 0 && fits(window, procs));
  add(window, -procs);
}

void Calendar::release(Interval window, Count procs) {
  assert(procs >= 0);
  window.begin = std::max(window.begin, origin());
  add(window, procs);
}

bool Calendar::reserve_all(std::span<const Booking> bookings) {
  const std::vector<CountChange> changes = changes_of(bookings);
  if (changes.empty()) return true;
  if (changes.front().time < origin()) return false;
  PartsBuilder builder;
  Count sum = 0;
  auto next = changes.begin();
  for (const Step& step : steps()) {
    Time begin = step.begin;
    while (begin < step.end) {
      for (; next != changes.end() && next->time == begin; ++next) sum += next->change;
      if (step.free + sum < 0) return false;
      builder.append(begin, step.free + sum);
      begin = next == changes.end() ? step.end : std::min(next->time, step.end);
    }
  }
  parts_ = builder.take();
  return true;
}

void Calendar::set_capacity(Interval window, Count capacity) {
  assert(capacity >= 0);
  window.begin = std::max(window.begin, origin());
  if (window.begin >= window.end) return;
  PartsBuilder builder;
  for (const Step& step : steps({origin(), window.begin})) builder.append(step.begin, step.free);
  builder.append(window.begin, capacity);
  for (const Step& step : steps({window.end, kForever})) builder.append(step.begin, step.free);
  parts_ = builder.take();
}

void Calendar::forget_before(Time now) {
  assert(now < kForever);
  if (now <= origin()) return;
  const Place place = place_of(now);
  parts_.erase(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(place.part));
  Part& part = parts_.front();
  part = cut_out(part, place.slot, part.size);
  part.chunk->times[0] = part.first = now;
  join_parts_near(0);
}

}  // namespace dovetail
