#include "run/cancel.hpp"

#include <unistd.h>

#include "run/freshness.hpp"
#include "run/local/launcher.hpp"
#include "run/local/leftovers.hpp"
#include "run/revision.hpp"
#include "run/run_state.hpp"

namespace dovetail::run {

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

void cancel(const RunFolder& folder, const Problem& problem, const std::string& started_in) {
  const Descriptor nobody_starts = lock_nursery(folder.nursery_lock());
  JournalWriter journal(folder.journal());
  const RunState state = read_run_state(folder.journal(), problem.task_count());
  constexpr useconds_t kPatience = 50'000;
  while (stop_all(folder, state) > 0) usleep(kPatience);
  const RunClock clock(state.last());
  const Revision revision(problem, state, started_in);
  for (std::uint32_t task = 0; task < state.tasks().size(); ++task) {
    const TaskStatus& status = state.tasks()[task];
    if (status.state != TaskState::running) continue;
    const Attempt attempt = read_attempt(folder.attempt(task, status.attempt));
    if (attempt.start && !attempt.end) end_leftovers(*attempt.start);
    if (!attempt.end) {
      journal.add(lost_entry(clock.stamp(), task, status.attempt));
      continue;
    }
    journal.add(end_entry(clock.stamp(), task, status.attempt, *attempt.end,
                          revision.missing_output_after(task, *attempt.end)));
  }
  journal.add(note_entry(clock.stamp(), "cancelled"));
  journal.sync();
}

}  // namespace dovetail::run
