#include "run/known_run.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <vector>

#include "dovetail/error.hpp"
#include "io/text.hpp"

namespace dovetail::run {

KnownRun::KnownRun(const std::string& id) : KnownRun(RunFolder::open(state_folder(), id)) {}

KnownRun::KnownRun(const RunFolder& run) : KnownRun(run, RunDescription::read(run)) {}

KnownRun::KnownRun(const RunFolder& run, RunDescription known)
    : folder(run),
      description(std::move(known)),
      problem(description.problem()),
      state(problem.task_count()),
      holder(RunLock::holder(run)) {
  // Without a journal nothing has happened yet.
  std::error_code error;
  const bool is_there = std::filesystem::exists(run.journal(), error);
  if (error) throw ExecutionError(run.journal() + ": cannot be read: " + error.message());
  if (!is_there) return;
  state = read_run_state(run.journal(), problem.task_count());
}

std::string KnownRun::condition() const {
  if (state.outcome() == "done") return "done";
  if (holder) return "running";
  if (state.outcome() == "cancelled") return "cancelled";
  return state.count(TaskState::failed) > 0 ? "failed" : "interrupted";
}

Count KnownRun::limit() const {
  return state.processors().value_or(problem.platform().clusters().front().processors);
}

std::uint32_t KnownRun::task(const std::string& name) const {
  io::NearestWord nearest(name);
  std::vector<std::uint32_t> found;
  for (std::uint32_t number = 0; number < state.tasks().size(); ++number) {
    const TaskRef ref = problem.task_at(number);
    const Workflow& workflow = problem.workflows()[ref.workflow];
    if (name == workflow.name() + "/" + std::string(workflow.id(ref.task))) return number;
    if (name == workflow.id(ref.task)) found.push_back(number);
    nearest.offer(problem.task_name(number));
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1) {
    throw InputError("several workflows of " + folder.id() + " have a task " + io::quote(name) +
                     "; it may be " + io::quote(problem.task_name(found[0])) + " or " +
                     io::quote(problem.task_name(found[1])));
  }
  throw InputError("run " + folder.id() + " has no task " + io::quote(name) + nearest.suggestion());
}

const char* name_of(TaskState state) {
  constexpr const char* kNames[] = {"waiting", "running", "done", "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string end_text(const TaskStatus& status) {
  using Cause = AttemptEnd::Cause;
  const AttemptEnd& end = status.end;
  const std::string length = format_duration(time_ceil(end.seconds));
  switch (end.cause) {
    case Cause::not_started:
      return "could not be started: " + end.why;
    case Cause::not_saved:
      return "ended after " + length + ", but its output " + end.why;
    case Cause::timed_out:
      return "was stopped after " + length + ": its time was over";
    case Cause::stopped:
      return "was stopped after " + length;
    case Cause::out_of_memory:
      return end.why.empty() ? "was ended by the system after " + length + ": out of memory"
                             : "was ended for memory after " + length + ": " + end.why;
    case Cause::ended:
      break;
  }
  if (!status.missing.empty()) {
    return fmt::format("failed after {}: its output {} is not there", length, status.missing);
  }
  const std::string why = end.why.empty() ? "" : ", " + end.why;
  if (end.signal != 0) {
    return fmt::format("was ended by signal {} ({}) after {}{}", end.signal, strsignal(end.signal),
                       length, why);
  }
  return end.exit_code == 0
             ? "done in " + length
             : fmt::format("failed with exit code {} after {}{}", end.exit_code, length, why);
}

}  // namespace dovetail::run
