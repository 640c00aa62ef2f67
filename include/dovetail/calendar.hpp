// Free processors over time. Every planner queries and updates this one structure.
//
// A calendar is a step function of time and a value type. Copies are cheap: they share their parts
// until one of them changes. Equality compares only the function.
//
//   Calendar calendar(128);
//   calendar.reserve({0, 3'600'000}, 10);
//   auto start = calendar.earliest_fit(120, 60'000, 0);   // 3'600'000
//
// Queries are const, and several threads may query the same calendar at once. Changing a calendar
// needs exclusive access to that object, but never disturbs its copies, even those that other
// threads use at the same time. A moved-from calendar may only be assigned or destroyed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "dovetail/detail/calendar_parts.hpp"
#include "dovetail/time.hpp"

namespace dovetail {

// A maximal piece of time with a constant number of free processors.
struct Step {
  Time begin = 0;
  Time end = 0;
  Count free = 0;
  friend bool operator==(const Step&, const Step&) = default;
};

struct Booking {
  Interval window;
  Count procs = 0;
  friend bool operator==(const Booking&, const Booking&) = default;
};

class StepRange;
class BackStepRange;

class Calendar {
 public:
  // All of `capacity` is free from `origin` on, and nothing before it. The last step of a calendar
  // lasts for ever; kForever and any later time mean the same.
  explicit Calendar(Count capacity = 0, Time origin = Time{0});

  // Builds a calendar from consecutive steps. Needs at least one; the last one lasts for ever.
  explicit Calendar(std::span<const Step> steps);

  Count free_at(Time t) const;

  // The smallest number of free processors in the window; kMaxProcessors for an empty window.
  Count min_free(Interval window) const;

  // An empty window always fits, and so does a request for zero processors, even before the origin.
  bool fits(Interval window, Count procs) const;

  // Smallest start >= ready, ending by limit, with procs free throughout; nullopt if none. The
  // result may be `ready` itself, even between two change points, but is never before the origin. A
  // length below 1 counts as 0. A request of length 0 or for zero processors needs nothing to be
  // free.
  std::optional<Time> earliest_fit(Count procs, Duration length, Time ready,
                                   Time limit = kForever) const;

  // Largest start >= ready that still ends by deadline, with procs free throughout; nullopt if
  // none. Treats origin, length and procs as earliest_fit does.
  std::optional<Time> latest_fit(Count procs, Duration length, Time ready, Time deadline) const;

  // Time average of the free processors over a non-empty window.
  double mean_free(Interval window) const;

  // The steps that overlap the window, clipped to it, in order; they cover it without gaps. Without
  // a window: from the origin to kForever. Starting a sweep at any time costs one search: steps({t,
  // kForever}). Changing the calendar invalidates the range.
  StepRange steps(Interval window) const;
  StepRange steps() const;
  std::size_t step_count() const;

  // The same steps from the last to the first.
  BackStepRange steps_back(Interval window) const;

  // Needs fits(window, procs) and procs >= 0. An empty window changes nothing.
  void reserve(Interval window, Count procs);

  // Reserves all bookings in one pass. If they do not fit together, returns false and changes
  // nothing.
  bool reserve_all(std::span<const Booking> bookings);

  // Undoes a reserve, wholly or in part. Needs procs to have been reserved throughout. The part
  // before the origin stays forgotten.
  void release(Interval window, Count procs);

  // Sets the free processors on the window to `capacity`, replacing any previous value: for
  // outages, growth, and resources that join or leave. Meant for windows without bookings. Ignores
  // the part before the origin.
  void set_capacity(Interval window, Count capacity);

  // Moves the origin to `now`: times before it can no longer be queried.
  void forget_before(Time now);

  friend bool operator==(const Calendar&, const Calendar&);

 private:
  friend class StepRange;
  friend class BackStepRange;

  // A change point: slot `slot` of part `part`.
  struct Place {
    std::size_t part = 0;
    std::uint32_t slot = 0;
  };

  Time origin() const { return parts_.front().first; }
  Place place_of(Time t) const;
  Place split_at(Time t);
  void split_part(std::size_t index);
  void join_at(Place place);
  void join_parts_near(std::size_t index);
  void add(Interval window, Count change);

  // Never empty and in order of time; the first change point is the origin. Neighbouring steps
  // differ, even across parts. The last step lasts for ever, and no change point lies at kForever
  // or later.
  std::vector<detail::Part> parts_;
};

namespace detail {

// The common part of the step iterators; each defines its own prefix ++.
template <typename Self>
class StepIterator {
 public:
  using iterator_concept = std::forward_iterator_tag;
  using iterator_category = std::input_iterator_tag;
  using value_type = Step;
  using difference_type = std::ptrdiff_t;
  using pointer = const Step*;
  using reference = Step;

  Step operator*() const { return step_; }
  const Step* operator->() const { return &step_; }
  Self operator++(int) {
    Self& self = static_cast<Self&>(*this);
    const Self old = self;
    ++self;
    return old;
  }

 protected:
  Step step_;
  Time limit_ = 0;  // where the last step ends
};

}  // namespace detail

// The forward range of steps that Calendar::steps returns.
class StepRange {
 public:
  class Iterator : public detail::StepIterator<Iterator> {
   public:
    using StepIterator::operator++;
    Iterator& operator++() {
      step_.begin = step_.end;
      if (step_.begin < limit_) load();
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.step_.begin == b.step_.begin;
    }

   private:
    friend class StepRange;

    // Reads the change point at slot_ and moves on; step_.begin is already set.
    void load() {
      step_.free = chunk_->free[slot_] + add_;
      if (++slot_ < size_) {
        step_.end = std::min(chunk_->times[slot_], limit_);
      } else {
        enter(part_ + 1, 0);
        step_.end = part_ == last_ ? limit_ : std::min(part_->first, limit_);
      }
    }

    void enter(const detail::Part* part, std::uint32_t slot) {
      part_ = part;
      if (part == last_) return;
      slot_ = slot;
      size_ = part->size;
      add_ = part->add;
      chunk_ = part->chunk.get();
    }

    const detail::Chunk* chunk_ = nullptr;
    std::uint32_t slot_ = 0;  // of the change point that ends step_
    std::uint32_t size_ = 0;
    Count add_ = 0;
    const detail::Part* part_ = nullptr;
    const detail::Part* last_ = nullptr;
  };

  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }
  bool empty() const { return begin_ == end_; }

 private:
  friend class Calendar;
  StepRange(const Calendar& calendar, Interval window);

  Iterator begin_;
  Iterator end_;
};

// The backward range of steps that Calendar::steps_back returns.
class BackStepRange {
 public:
  class Iterator : public detail::StepIterator<Iterator> {
   public:
    using StepIterator::operator++;
    Iterator& operator++() {
      step_.end = step_.begin;
      if (step_.end > limit_) load();
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.step_.end == b.step_.end;
    }

   private:
    friend class BackStepRange;

    // Reads the step of the change point at slot_ and moves on; step_.end is already set.
    void load() {
      if (part_ == nullptr) {
        step_ = {limit_, step_.end, 0};
        return;
      }
      step_.free = part_->free(slot_);
      step_.begin = std::max(part_->time(slot_), limit_);
      if (slot_ > 0) {
        --slot_;
      } else if (part_ != first_) {
        --part_;
        slot_ = part_->size - 1;
      } else {
        // Nothing is free before the origin. If nothing is free just after it either, the two
        // pieces are one step.
        if (step_.free == 0) step_.begin = limit_;
        part_ = nullptr;
      }
    }

    const detail::Part* part_ = nullptr;  // null: before the origin
    const detail::Part* first_ = nullptr;
    std::uint32_t slot_ = 0;
  };

  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }
  bool empty() const { return begin_ == end_; }

 private:
  friend class Calendar;
  BackStepRange(const Calendar& calendar, Interval window);

  Iterator begin_;
  Iterator end_;
};

}  // namespace dovetail
