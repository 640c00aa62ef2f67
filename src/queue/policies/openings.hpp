// Gaps that have opened in a plan, for waiting jobs that could jump into them.
//
// A job that found no earlier place when it was last tried finds one now only where nodes have come
// free since. So the gaps around such rises are kept: for each size of jobs, the longest pieces of
// time with nodes enough for the smallest of that size; and only those that some waiting job could
// want. Gaps may have shrunk since they were noted: that costs a vain look, never a missed place.
#pragma once

#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <vector>

#include "queue/policies/demand.hpp"
#include "queue/policies/timeline.hpp"

namespace dovetail {

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

}  // namespace dovetail
