#include "planners/search/time_windows.hpp"

#include <algorithm>

#include "planners/list/earliest_slot.hpp"

namespace dovetail {

Heads heads_of(const ClusterView& view, const Calendar& calendar) {
  const Workflow& workflow = view.workflow();
  Heads heads{std::vector<Time>(view.size()), std::vector<Time>(view.size(), kForever)};
  for (const TaskId task : workflow.topological_order()) {
    Time ready = view.release(task);
    for (const TaskId before : workflow.predecessors(task)) {
      ready = std::max(ready, heads.ends[before]);
    }
    heads.ready[task] = ready;
    if (ready >= kForever) continue;
    const auto slot = earliest_completion(calendar, view.time(task), view.processors(), ready);
    if (slot) heads.ends[task] = slot->end;
  }
  return heads;
}

TimeWindows windows_by(const ClusterView& view, const Calendar& calendar, const Heads& heads,
                       Time end) {
  const Workflow& workflow = view.workflow();
  TimeWindows windows{.ready = heads.ready,
                      .due = std::vector<Time>(view.size(), end),
                      .fewest = std::vector<Count>(view.size())};
  const auto order = workflow.topological_order();
  for (auto place = order.rbegin(); place != order.rend(); ++place) {
    const TaskId task = *place;
    const Interval window{heads.ready[task], windows.due[task]};
    if (heads.ends[task] > window.end) return windows;
    const auto latest = latest_start(calendar, view.time(task), view.processors(), window);
    if (!latest) return windows;
    for (const TaskId before : workflow.predecessors(task)) {
      windows.due[before] = std::min(windows.due[before], latest->start);
    }
    const auto thrifty = fewest_processors(calendar, view.time(task), view.processors(), window);
    windows.fewest[task] = thrifty->procs;
  }
  windows.is_possible = true;
  return windows;
}

}  // namespace dovetail
