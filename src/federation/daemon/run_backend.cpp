#include "federation/daemon/run_backend.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "batch/conduct.hpp"
#include "batch/described_jobs.hpp"
#include "batch/job_tracker.hpp"
#include "batch/table.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "federation/daemon/workflow_service.hpp"
#include "io/text.hpp"

namespace dovetail::federation {

namespace {

using run::AttemptEnd;

// Between two tries to get the lock on a run.
constexpr auto kLockPause = std::chrono::milliseconds(200);

// "solve failed with exit code 3 after 2s: no such file: grid.nc (.../logs/0.1.err)".
std::string failure_text(const run::KnownRun& run, std::uint32_t task,
                         const run::TaskStatus& status) {
  const std::string log = run.folder.log(task, status.attempt, "err");
  const std::string said = fmt::format("{}", fmt::join(io::last_lines(log), " "));
  return fmt::format("{} {}{}", run.problem.task_name(task), run::end_text(status),
                     said.empty() ? "" : fmt::format(": {} ({})", said, log));
}

}  // namespace

RunBackend::RunBackend(RunBackendOptions options, std::shared_ptr<run::Nursery> nursery)
    : options_(std::move(options)),
      nursery_(std::move(nursery)),
      news_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

RunBackend::~RunBackend() {
  for (ConductedRun& step : steps_) {
    step.is_leaving = true;
    step.control.ask(run::Interrupt::leave);
  }
  for (ConductedRun& step : steps_) {
    if (step.thread.joinable()) step.thread.join();
  }
}

// The thread begins with the next ended(): a step that is adopted and then stopped, because it was
// cancelled before the daemon was restarted, must not start a task meanwhile.
void RunBackend::start(const run::StepCommand& command) {
  steps_.emplace_back(command);
  eventfd_write(news_.get(), 1);
}

void RunBackend::stop(std::uint32_t task) {
  for (ConductedRun& step : steps_) {
    if (step.command.task != task) continue;
    step.is_cancelled = true;
    step.control.ask(run::Interrupt::cancel);
  }
}

std::vector<run::StepEnd> RunBackend::ended() {
  eventfd_t ignored = 0;
  eventfd_read(news_.get(), &ignored);
  std::vector<run::StepEnd> ends;
  {
    const std::lock_guard lock(mutex_);
    ends.swap(ends_);
  }
  for (const run::StepEnd& end : ends) {
    std::erase_if(steps_, [&](ConductedRun& step) {
      if (step.command.task != end.task) return false;
      step.thread.join();
      return true;
    });
  }
  for (ConductedRun& step : steps_) {
    if (!step.thread.joinable()) step.thread = std::thread([this, &step] { work(step); });
  }
  return ends;
}

void RunBackend::work(ConductedRun& step) {
  std::optional<AttemptEnd> end;
  try {
    end = conduct(step);
  } catch (const std::exception& error) {
    end = AttemptEnd::not_started(error.what());
  }
  if (!end) return;
  const std::lock_guard lock(mutex_);
  ends_.push_back({.task = step.command.task, .attempt = step.command.attempt, .end = *end});
  eventfd_write(news_.get(), 1);
}

// How the step ended; nothing when it goes on without us.
std::optional<AttemptEnd> RunBackend::conduct(ConductedRun& step) const {
  const run::RunFolder folder = folder_of(step.command.folder);
  std::optional<run::RunLock> lock;
  while (!(lock = run::RunLock::take(folder))) {
    if (step.is_leaving) return std::nullopt;
    std::this_thread::sleep_for(kLockPause);
  }
  const run::KnownRun run(folder);
  try {
    const run::RunEnd end = conduct_known(run, step);
    if (step.is_leaving || end.outcome == run::RunOutcome::interrupted) return std::nullopt;
    options_.ended(run, end.state);
    const bool is_done = end.outcome == run::RunOutcome::done;
    const bool was_stopped = !is_done && step.is_cancelled;
    return AttemptEnd{.exit_code = is_done ? 0 : 1,
                      .cause = was_stopped ? AttemptEnd::Cause::stopped : AttemptEnd::Cause::ended,
                      .time = end.state.last().time,
                      .seconds = to_seconds(end.state.last().at)};
  } catch (const std::exception&) {
    // Nothing of it may go on: its folder is cleared away.
    try {
      batch::cancel(run);
    } catch (const std::exception&) {
    }
    throw;
  }
}

// The run that an earlier daemon has begun, or a new one.
run::RunFolder RunBackend::folder_of(const std::string& folder) const {
  const std::string state = folder + "/state";
  const std::vector<run::RunFolder> known = run::RunFolder::all(state);
  return known.empty() ? run::begin_run(state, describe(folder)).folder : known.front();
}

run::RunDescription RunBackend::describe(const std::string& folder) const {
  run::RunDescription description{.workflows = {read_workflow(workflow_file(folder))},
                                  .folder = folder,
                                  .platform = Platform::empty(options_.processors, "local")};
  if (options_.system.empty()) {
    description.check();
    return description;
  }
  const auto picture = batch::system_named(options_.system).make({.patience = 15})->picture();
  description.platform = batch::platform_of(picture, options_.partition);
  description.batch = {.system = options_.system,
                       .partition = options_.partition,
                       .strategy = batch::kDefaultStrategy,
                       .token = batch::job_token(description.workflows.front().name())};
  description.check();
  batch::require_possible(description, description.problem(), picture);
  return description;
}

run::RunEnd RunBackend::conduct_known(const run::KnownRun& run, ConductedRun& step) const {
  std::ofstream log(step.command.err_file, std::ios::app);
  const auto ended = [&](std::uint32_t task, const run::RunState& state) {
    const run::TaskStatus& status = state.tasks()[task];
    if (!status.has_succeeded) log << failure_text(run, task, status) << std::endl;
  };
  if (!run.description.batch) {
    run::RunOptions options = run.description.options();
    options.renews_failures = false;
    options.ended = ended;
    return run::conduct(run.folder, run.problem, options, nursery_, step.control);
  }
  batch::JobRunOptions options = batch::options_of(run.description);
  options.renews_failures = false;
  options.ended = ended;
  options.say = [&](const std::string& news) { log << news << std::endl; };
  // Without patience: what is not answered is asked again later, and requests are heard meanwhile.
  const auto system = batch::system_of(run.description, {.patience = 0});
  return batch::conduct(run.folder, run.problem, options, *system, step.control);
}

}  // namespace dovetail::federation
