#include "queue/strategies/overlap.hpp"

#include <algorithm>

namespace dovetail::queue {

void OverlapStrategy::invoke(Desk& desk) {
  if (!single_mode_) {
    if (!may_queue(desk)) return;
    const TaskSet open = cutting_.open_tasks(desk);
    if (open.tasks.empty()) return;
    choose(desk, open, cutting_.delay(desk));
  }
  if (single_mode_) submit_singles(desk);
}

bool OverlapStrategy::may_queue(const Desk& desk) const {
  const auto live = desk.live();
  const bool waits = std::ranges::any_of(live, [](const LivePilot& p) { return !p.start; });
  return !waits && cutting_.may_submit(desk);
}

void OverlapStrategy::cancel_idle(Desk& desk) {
  for (const LivePilot& pilot : desk.live()) {
    if (!pilot.start || !pilot.has_worked) desk.cancel(pilot.id);
  }
}

}  // namespace dovetail::queue
