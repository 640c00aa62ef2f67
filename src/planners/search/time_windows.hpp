// For each task of a plan that must end by a given moment: no start before `ready`, no end after
// `due`, and on how few processors it may run at all, as the calendar would have it without our
// tasks. What every bound begins with.
#pragma once

#include <vector>

#include "dovetail/calendar.hpp"
#include "planners/list/cluster_view.hpp"

namespace dovetail {

struct TimeWindows {
  bool is_possible = false;  // false: some task does not fit into its window, so there is no plan
  std::vector<Time> ready = {};  // by task
  std::vector<Time> due = {};
  std::vector<Count> fewest = {};
};

// By task, and the earliest possible ends beside it. Nothing depends on when the plan must end.
struct Heads {
  std::vector<Time> ready = {};
  std::vector<Time> ends = {};  // kForever: it never fits
};
Heads heads_of(const ClusterView& view, const Calendar& calendar);

TimeWindows windows_by(const ClusterView& view, const Calendar& calendar, const Heads& heads,
                       Time end);

}  // namespace dovetail
