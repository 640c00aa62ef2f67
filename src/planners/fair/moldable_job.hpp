// A workflow as one moldable job: its time by number of processors, by CPA on an empty cluster of
// that size.
#pragma once

#include <vector>

#include "dovetail/metrics.hpp"
#include "planners/fair/sharing.hpp"

namespace dovetail {

class MoldableJob {
 public:
  // One CPA schedule per number of processors, up to all of the cluster. The sharing must outlive
  // the job.
  MoldableJob(const Sharing& sharing, std::size_t workflow);

  // The number of processors that its widest task needs.
  Count least() const { return least_; }

  // Its time on `procs` >= least() processors, or on fewer when that is no slower.
  Duration time(Count procs) const { return times_[static_cast<std::size_t>(procs - least_)]; }

  Area work(Count procs) const { return Area{procs} * time(procs); }

  // The canonical number: the fewest processors, up to `most`, on which it takes at most `length`;
  // 0 if there is none.
  Count fewest_within(double length, Count most) const;

  // Its tasks placed by CPA on `procs` processors, from time 0 on.
  std::vector<Slot> plan(Count procs) const;

 private:
  const Sharing& sharing_;
  const Member& member_;
  Count least_;
  std::vector<Duration> times_;  // by processors from least_ on; never increasing
};

}  // namespace dovetail
