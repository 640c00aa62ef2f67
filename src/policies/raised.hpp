// Where the free nodes have risen lately: what spares most waiting jobs a search, and shortens that
// of the others.
//
// A job that found no earlier place when it was last tried finds one now only at a place that
// overlaps a rise since then, before its start. (After its start nothing matters: its own nodes
// cover that part.) So it is enough to know the gaps around the rises: for 1, 2, 4, ... nodes the
// longest pieces of time in which so many are free. A job fits into a gap that is long enough, or
// that reaches to its start. Gaps may have shrunk since they were noted; that costs a vain search,
// never a missed place.
#pragma once

#include <vector>

#include "dovetail/calendar.hpp"
#include "policies/job.hpp"

namespace dovetail {

class Raised {
 public:
  // Nothing has risen.
  void clear();

  // Nodes became free in the window, which lies in the future. No waiting job is longer than
  // `longest`.
  void add(Interval window, const Calendar& free, Duration longest);

  // The earliest moment from which a job that starts at `start` may find an earlier place;
  // kForever when it finds none.
  Time first_chance(const Ask& ask, Time start) const;

  // There was none after all: the gaps for such jobs are looked at again.
  void look_again(const Ask& ask, Time start, const Calendar& free);

 private:
  // Gaps for 2^k nodes, apart from each other, in order of time.
  struct Gaps {
    std::vector<Interval> list;
    Duration longest = 0;
  };

  void reach_left(Time end, std::size_t open, const Calendar& free, Duration longest);
  void close(std::size_t first, std::size_t last, Time end);
  void record(Gaps& gaps, Interval gap);

  std::vector<Gaps> gaps_;    // by k
  std::vector<Time> begins_;  // by k: scratch of add()
};

}  // namespace dovetail
