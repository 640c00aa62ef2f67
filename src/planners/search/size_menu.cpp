#include "planners/search/size_menu.hpp"

#include <algorithm>

namespace dovetail {

namespace {

// Finer grids cost more time than they gain.
constexpr Count next_on_grid(Count procs) { return procs + std::max<Count>(1, procs * 3 / 25); }

}  // namespace

SizeMenu::SizeMenu(const ClusterView& view) {
  first_.reserve(view.size() + 1);
  least_areas_.reserve(view.size());
  for (TaskId task = 0; task < view.size(); ++task) {
    const TaskTime& time = view.time(task);
    const Count most = view.bounded(task, view.processors());
    first_.push_back(choices_.size());
    Area least = Area{kForever} * kMaxProcessors;
    for (Count procs = time.min_procs();;) {
      choices_.push_back({procs, time.duration(procs)});
      least = std::min(least, Area{procs} * choices_.back().length);
      if (procs >= most) break;
      const Count next = time.next_allowed(next_on_grid(procs) - 1);
      procs = next == 0 ? most : std::min(next, most);
    }
    least_areas_.push_back(least);
  }
  first_.push_back(choices_.size());
}

}  // namespace dovetail
