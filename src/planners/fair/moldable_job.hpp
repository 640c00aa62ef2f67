// A workflow seen as one moldable job: how long it takes on how many processors, by CPA on an empty
// cluster of that many.
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

  // As many as its widest task needs.
  Count least() const { return least_; }

  // How long it takes on `procs`, least() or more, or on fewer when that is no slower.
  Duration time(Count procs) const { return times_[static_cast<std::size_t>(procs - least_)]; }

  Area work(Count procs) const { return Area{procs} * time(procs); }

  // The canonical number: the fewest processors, up to `most`, on which it takes at most `length`;
  // 0 if there is none.
  Count fewest_within(double length, Count most) const;

  // Its tasks by CPA on `procs` processors, from time 0 on.
  std::vector<Slot> plan(Count procs) const;

 private:
  const Sharing& sharing_;
  const Member& member_;
  Count least_;
  std::vector<Duration> times_;  // by processors from least_ on; never increasing
};

}  // namespace dovetail
