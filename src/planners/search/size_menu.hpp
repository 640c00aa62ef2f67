// The processor counts that a search tries for each task, with their durations: a grid in steps of
// about an eighth, from the fewest to the most that the task may use. Safe to share between
// threads.
#pragma once

#include <span>
#include <vector>

#include "dovetail/metrics.hpp"
#include "planners/list/cluster_view.hpp"

namespace dovetail {

struct SizeChoice {
  Count procs = 0;
  Duration length = 0;
};

class SizeMenu {
 public:
  explicit SizeMenu(const ClusterView& view);

  // In increasing order of processors, so in decreasing order of length.
  std::span<const SizeChoice> of(TaskId task) const {
    return {choices_.data() + first_[task], choices_.data() + first_[task + 1]};
  }
  const SizeChoice& widest(TaskId task) const { return choices_[first_[task + 1] - 1]; }

  // The least consumption of the task over all its counts.
  Area least_area(TaskId task) const { return least_areas_[task]; }

 private:
  std::vector<SizeChoice> choices_;
  std::vector<std::size_t> first_;  // by task, with one extra entry
  std::vector<Area> least_areas_;
};

}  // namespace dovetail
