#include "run/run_picture.hpp"

#include <algorithm>

#include "run/report/run_queries.hpp"

namespace dovetail::run {

bool is_planned(const Problem& problem, const RunState& state, std::size_t task) {
  if (task >= state.plan().size() || state.plan()[task].procs == 0) return false;
  const TaskRef ref = problem.task_at(task);
  return problem.time(ref.workflow, ref.task, 0).allows(state.plan()[task].procs);
}

RunPicture picture_of(const Problem& problem, const RunState& state, const Dispatcher& dispatcher,
                      const Monitor& monitor, Time now) {
  const auto blocked = blocked_tasks(problem, state);
  RunPicture picture{.now = now,
                     .processors = dispatcher.processors(),
                     .slots = state.plan(),
                     .has_plan = !state.plan().empty(),
                     .factors = monitor.factors()};
  picture.slots.resize(problem.task_count());
  for (std::size_t task = 0; task < problem.task_count(); ++task) {
    const TaskStatus& status = state.tasks()[task];
    const bool runs = dispatcher.running().contains(task);
    const bool waits = !runs && status.state == TaskState::waiting && !blocked[task];
    picture.progress.push_back(runs    ? TaskProgress::running
                               : waits ? TaskProgress::waiting
                                       : TaskProgress::finished);
    picture.not_before.push_back(status.not_before);
    picture.has_plan = picture.has_plan && (!waits || is_planned(problem, state, task));
    if (runs) {
      const Time end = std::max(dispatcher.expected_end(task), now + 1);
      picture.slots[task] = {status.processors, status.started, end};
    } else if (!waits) {
      picture.slots[task] = {};
    }
  }
  return picture;
}

}  // namespace dovetail::run
