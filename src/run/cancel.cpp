#include "run/cancel.hpp"

#include <unistd.h>

#include "run/book.hpp"
#include "run/local/launcher.hpp"
#include "run/local/leftovers.hpp"

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
  Book book(folder, problem, started_in);
  constexpr useconds_t kPatience = 50'000;
  while (stop_all(folder, book.state()) > 0) usleep(kPatience);
  for (std::uint32_t task = 0; task < problem.task_count(); ++task) {
    const TaskStatus& status = book.state().tasks()[task];
    if (status.state != TaskState::running) continue;
    const Attempt attempt = read_attempt(folder.attempt(task, status.attempt));
    if (attempt.start && !attempt.end) end_leftovers(*attempt.start);
    attempt.end ? book.write_end(task, *attempt.end) : book.write_lost(task);
  }
  book.note("cancelled");
  book.sync();
}

}  // namespace dovetail::run
