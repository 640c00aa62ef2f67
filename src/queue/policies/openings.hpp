// Gaps that have opened in a plan, for waiting jobs that could jump into them.
//
// A job that found no earlier place when it was last tried finds one now only where nodes have come
// free since. So the gaps around such rises are kept: for each size of jobs, the longest pieces of
// time with nodes enough for the smallest of that size; and only those that some waiting job could
// want. Gaps may have shrunk since they were noted: that costs a vain look, never a missed place.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "queue/policies/job.hpp"
#include "queue/policies/timeline.hpp"

namespace dovetail::queue {

// Jobs of 1, 2 to 3, 4 to 7, ... nodes are of size 0, 1, 2, ...
inline std::size_t size_of(Count nodes) {
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(nodes))) - 1;
}

// What the jobs that wait for a later start ask for: a bound from below, in one look. Starts only
// move earlier and jobs only leave, so what was noted stays a bound; it is noted anew now and then
// to stay a good one.
class Demand {
 public:
  // The shortest request of jobs of a size, and of that size or larger.
  struct Shortest {
    Duration here = kForever;
    Duration upward = kForever;
  };

  explicit Demand(Count nodes) : sizes_(size_of(nodes) + 1) { renew(0, 0, 0); }

  // Forgets everything; about `jobs` jobs will follow, that start up to `last`.
  void renew(Time now, Time last, std::size_t jobs) {
    pieces_ = std::bit_ceil(std::clamp<std::size_t>(jobs, 1, kMostPieces));
    origin_ = now;
    shift_ = std::bit_width(static_cast<std::uint64_t>(std::max<Time>(last - now, 0)) / pieces_);
    longest_ = 0;
    shortest_.assign(pieces_ * sizes_, {});
  }

  void add(const Ask& ask, Time start) {
    longest_ = std::max(longest_, ask.length);
    // What holds after a moment holds after the moments before it.
    for (std::size_t i = piece(start) + 1; i-- > 0;) {
      Shortest* row = &shortest_[i * sizes_];
      std::size_t size = size_of(ask.nodes);
      if (row[size].here <= ask.length) return;
      row[size].here = ask.length;
      for (; row[size].upward > ask.length; --size) {
        row[size].upward = ask.length;
        if (size == 0) break;
      }
    }
  }

  // Of the jobs that start after t; by size.
  const Shortest* after(Time t) const { return &shortest_[piece(t) * sizes_]; }

  // Of all jobs.
  Duration longest() const { return longest_; }

 private:
  static constexpr std::size_t kMostPieces = 128;

  // Time in pieces of 2^shift_; the first and the last go on for ever.
  std::size_t piece(Time t) const {
    if (t <= origin_) return 0;
    return std::min(static_cast<std::size_t>(t - origin_) >> shift_, pieces_ - 1);
  }

  std::size_t sizes_;
  std::size_t pieces_ = 1;
  Time origin_ = 0;
  int shift_ = 0;
  std::vector<Shortest> shortest_;  // by piece and size
  Duration longest_ = 0;
};

class Openings {
 public:
  explicit Openings(Count nodes) : demand_(nodes), gaps_(size_of(nodes) + 1) {}

  // A job waits for this start: chances of those that were not told of are not kept. What is told
  // holds until all is forgotten, to be told anew by about that number of jobs that start up to
  // `last`.
  void waits(const Ask& ask, Time start) { demand_.add(ask, start); }
  void forget_waiting(Time now, Time last, std::size_t jobs) { demand_.renew(now, last, jobs); }

  // Nodes have come free, in a window that is not empty.
  void add(const Timeline::Rise& rise, const Timeline& plan);

  // Whether it is worth looking.
  bool may_fit(const Ask& ask, Time start) const {
    return gaps_[size_of(ask.nodes)].first_of[width_of(ask.length)] + ask.length < start;
  }

  // The earliest place in the gaps that ends before `start`. (Up to `start` the job could slide.)
  std::optional<Timeline::LineTime> find(const Ask& ask, Time start, const Timeline& plan);

  // All waiting jobs have been tried: what opened before the last such moment is forgotten.
  void all_tried();

 private:
  struct Gap {
    Interval span;
    Timeline::PointId at = Timeline::kPresent;  // not far from the begin
    std::uint32_t round = 0;                    // when it was noted
    // Jobs no smaller than this have been tried in vain.
    Count vain_nodes = std::numeric_limits<Count>::max();
    Duration vain_length = 0;
  };
  // How many binary digits a length has.
  static std::size_t width_of(Duration length) {
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(length)));
  }
  struct Gaps {
    Gaps() { first_of.fill(kForever); }
    std::vector<Gap> list;          // apart from each other, in order of time
    std::array<Time, 64> first_of;  // where the first begins that is so wide, or wider
    void note(Gap gap);
    void measure();
  };

  std::size_t look_again(std::size_t size, std::size_t index, const Ask& ask, const Timeline& plan);

  Demand demand_;
  std::vector<Gaps> gaps_;   // by size
  std::vector<Gap> pieces_;  // scratch of look_again()
  std::uint32_t round_ = 0;
};

}  // namespace dovetail::queue
