// What the jobs that wait for a later start ask for: a bound from below, in one look.
//
// Starts only move earlier and jobs only leave, so what was noted stays a bound; it is noted anew
// now and then to stay a good one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "queue/policies/job.hpp"

namespace dovetail {

// Jobs of 1, 2 to 3, 4 to 7, ... nodes are of size 0, 1, 2, ...
inline std::size_t size_of(Count nodes) {
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(nodes))) - 1;
}

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

}  // namespace dovetail
