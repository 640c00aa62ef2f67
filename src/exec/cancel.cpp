// Cancelling a run on which nobody works.
#include <unistd.h>

#include "exec/conductor.hpp"
#include "exec/launcher.hpp"
#include "exec/leftovers.hpp"

namespace dovetail::exec {

namespace {

// Asks for the end of every attempt that still runs; how many there are.
std::size_t stop_all(const RunFolder& folder, const RunState& state) {
  std::size_t running = 0;
  for (std::uint32_t task = 0; task < state.tasks().size(); ++task) {
    const TaskStatus& status = state.tasks()[task];
    if (status.state != TaskState::running) continue;
    const Attempt attempt = read_attempt(folder.attempt(task, status.attempt));
    if (attempt.start && !attempt.end && stop(*attempt.start)) ++running;
  }
  return running;
}

}  // namespace

void cancel(const RunFolder& folder, const Problem& problem) {
  // Nobody may be about to start something.
  { const Launcher launcher(folder.nursery_lock()); }
  JournalWriter journal(folder.journal());
  const RunState state = read_run_state(folder.journal(), problem.task_count());
  constexpr useconds_t kPatience = 50'000;
  while (stop_all(folder, state) > 0) usleep(kPatience);
  const RunClock clock(state.last());
  for (std::uint32_t task = 0; task < state.tasks().size(); ++task) {
    const TaskStatus& status = state.tasks()[task];
    if (status.state != TaskState::running) continue;
    const Attempt attempt = read_attempt(folder.attempt(task, status.attempt));
    if (attempt.start && !attempt.end) end_leftovers(*attempt.start);
    journal.add(attempt.end ? end_entry(clock.stamp(), task, status.attempt, *attempt.end)
                            : lost_entry(clock.stamp(), task, status.attempt));
  }
  journal.add(note_entry(clock.stamp(), "cancelled"));
  journal.sync();
}

}  // namespace dovetail::exec
