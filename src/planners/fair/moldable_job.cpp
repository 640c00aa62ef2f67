#include "planners/fair/moldable_job.hpp"

#include <algorithm>

#include "planners/list/allocate.hpp"
#include "planners/list/earliest_slot.hpp"
#include "planners/list/levels.hpp"

namespace dovetail {

MoldableJob::MoldableJob(const Sharing& sharing, std::size_t workflow)
    : sharing_(sharing), member_(sharing.members()[workflow]), least_(member_.needs) {
  for (Count procs = least_; procs <= sharing.processors(); ++procs) {
    Duration length = 0;
    for (const Slot& slot : plan(procs)) length = std::max(length, slot.end);
    times_.push_back(times_.empty() ? length : std::min(length, times_.back()));
  }
}

Count MoldableJob::fewest_within(double length, Count most) const {
  const auto found = std::ranges::partition_point(
      times_, [&](Duration time) { return static_cast<double>(time) > length; });
  const Count fewest = least_ + static_cast<Count>(found - times_.begin());
  return fewest <= most ? fewest : 0;
}

std::vector<Slot> MoldableJob::plan(Count procs) const {
  const ClusterView& view = member_.view;
  const auto allocation = cpa_allocation(view, procs, sharing_.cpa_stop());
  auto slots = place_fixed(view, by_decreasing_level(bottom_levels(view, allocation)), allocation,
                           Calendar(procs, member_.ready))
                   .value();
  for (Slot& slot : slots) {
    slot.start -= member_.ready;
    slot.end -= member_.ready;
  }
  return slots;
}

}  // namespace dovetail
