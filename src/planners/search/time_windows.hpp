// For each task of a plan that must end by a given time: the earliest start `ready`, the latest end
// `due`, and the fewest processors on which it can run, on a calendar without our tasks. Every
// bound starts from these.
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

// The earliest starts by task, and the earliest ends. They do not depend on when the plan must end.
struct Heads {
  std::vector<Time> ready = {};
  std::vector<Time> ends = {};  // kForever: it never fits
};
Heads heads_of(const ClusterView& view, const Calendar& calendar);

TimeWindows windows_by(const ClusterView& view, const Calendar& calendar, const Heads& heads,
                       Time end);

}  // namespace dovetail
