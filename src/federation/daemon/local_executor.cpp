#include "federation/daemon/local_executor.hpp"

#include <fmt/format.h>

#include "run/local/leftovers.hpp"

namespace dovetail::federation {

namespace {

StepEnd lost_step(std::uint32_t number, const std::string& why) {
  return {.number = number, .how = StepEnd::How::lost, .why = why};
}

}  // namespace

run::TaskCommand task_command(const run::RunFolder& folder, const StepCommand& command) {
  const std::string processors = std::to_string(command.processors);
  return {.task = command.number,
          .attempt = 1,
          .command = "exec \"$@\"",
          .arguments = command.arguments,
          .folder = command.folder,
          .attempt_file = folder.attempt(command.number, 1),
          .out_file = folder.log(command.number, 1, "out"),
          .err_file = folder.log(command.number, 1, "err"),
          .environment = {{"DOVETAIL_PROCESSORS", processors}, {"OMP_NUM_THREADS", processors}},
          .timeout_seconds = to_seconds(command.limit)};
}

StepEnd end_of(std::uint32_t number, const run::AttemptEnd& end) {
  StepEnd step{.number = number, .seconds = end.seconds};
  if (end.is_success()) return step;
  using Cause = run::AttemptEnd::Cause;
  step.how = end.cause == Cause::stopped ? StepEnd::How::stopped : StepEnd::How::failed;
  switch (end.cause) {
    case Cause::ended:
      step.why = end.signal != 0 ? fmt::format("ended by signal {}", end.signal)
                                 : fmt::format("exit code {}", end.exit_code);
      break;
    case Cause::timed_out:
      step.why = fmt::format("ended by the watchdog after {:.0f} s", end.seconds);
      break;
    case Cause::stopped:
      step.why = "stopped";
      break;
    case Cause::out_of_memory:
      step.why = "out of memory";
      break;
    case Cause::not_started:
      step.why = "could not be started: " + end.why;
      break;
  }
  return step;
}

LocalExecutor::LocalExecutor(run::RunFolder folder, run::Nursery nursery)
    : folder_(std::move(folder)), launcher_(folder_.nursery_lock(), std::move(nursery)) {}

void LocalExecutor::start(const StepCommand& command) {
  launcher_.start(task_command(folder_, command));
}

// As we have the nursery's lock, what has no file by now was never begun.
void LocalExecutor::adopt(const StepCommand& command) {
  const run::Attempt attempt = run::read_attempt(folder_.attempt(command.number, 1));
  if (attempt.end) {
    known_ends_.push_back(end_of(command.number, *attempt.end));
  } else if (auto adopted = run::Adopted::watch(attempt)) {
    adopted_.emplace(command.number, std::move(*adopted));
  } else {
    known_ends_.push_back(end_of_adopted(command.number));
  }
}

StepEnd LocalExecutor::end_of_adopted(std::uint32_t number) const {
  const run::Attempt attempt = run::read_attempt(folder_.attempt(number, 1));
  if (attempt.end) return end_of(number, *attempt.end);
  if (!attempt.start) return lost_step(number, "it was never begun");
  run::end_leftovers(*attempt.start);
  return lost_step(number, "its supervisor was killed");
}

void LocalExecutor::stop(std::uint32_t number) { stopping_.insert(number); }

// Until it has ended: it may have been asked for a moment ago, and not have begun.
void LocalExecutor::ask_to_stop() {
  std::erase_if(stopping_, [&](std::uint32_t number) {
    const run::Attempt attempt = run::read_attempt(folder_.attempt(number, 1));
    if (attempt.start && !attempt.end) run::stop(*attempt.start);
    return attempt.end.has_value();
  });
}

std::vector<StepEnd> LocalExecutor::ended() {
  ask_to_stop();
  std::vector<StepEnd> ends = std::move(known_ends_);
  known_ends_.clear();
  for (const run::TaskReport& report : launcher_.reports()) {
    ends.push_back(report.is_lost ? end_of_adopted(report.task) : end_of(report.task, report.end));
  }
  std::erase_if(adopted_, [&](const auto& entry) {
    if (!entry.second.has_ended()) {
      // A supervisor may live on after its task, for the next one of who started it.
      if (!run::read_attempt(folder_.attempt(entry.first, 1)).end) return false;
    }
    ends.push_back(end_of_adopted(entry.first));
    return true;
  });
  for (const StepEnd& end : ends) stopping_.erase(end.number);
  return ends;
}

}  // namespace dovetail::federation
