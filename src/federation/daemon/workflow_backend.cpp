#include "federation/daemon/workflow_backend.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

#include "batch/batch_errors.hpp"
#include "batch/conduct.hpp"
#include "batch/described_jobs.hpp"
#include "batch/job_tracker.hpp"
#include "batch/table.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "federation/daemon/sent_workflow.hpp"
#include "io/text.hpp"
#include "run/mailbox.hpp"

namespace dovetail::federation {

namespace {

using run::AttemptEnd;

// Between two tries to get the lock on a run.
constexpr auto kLockPause = std::chrono::milliseconds(200);

// How long a batch system may be away when a run begins.
constexpr auto kPatience = std::chrono::seconds(15);

// "solve failed with exit code 3 after 2s: no such file: grid.nc". Not where the log is: it is gone
// with the folder of the step when a client reads this.
std::string failure_text(const run::KnownRun& run, std::uint32_t task,
                         const run::TaskStatus& status) {
  const std::string log = run.folder.log(task, status.attempt, "err");
  const std::string said = fmt::format("{}", fmt::join(io::last_lines(log), " "));
  return fmt::format("{} {}{}", run.problem.task_name(task), run::end_text(status),
                     said.empty() ? "" : ": " + said);
}

// Outside of the step's folder, and before the end is told: a daemon that is killed before it has
// published the results or cleared the folder away must not begin the run again.
void write_down(const AttemptEnd& end, const std::string& file) {
  std::error_code ignored;
  std::filesystem::remove(file, ignored);  // a daemon was killed while it wrote
  if (auto writer = run::AttemptWriter::create(file)) writer->write_end(end);
}

}  // namespace

// Tells of every task that failed, once: also of those that failed while no daemon was there.
class FailureLog {
 public:
  FailureLog(const run::KnownRun& run, const std::string& file)
      : run_(run), log_(file, std::ios::app) {}

  void say(const std::string& text) { log_ << text << std::endl; }

  void ended(std::uint32_t task, const run::TaskStatus& status) {
    if (status.has_succeeded) return;
    told_.insert(task);
    say(failure_text(run_, task, status));
  }

  void over(const run::RunState& state) {
    for (std::uint32_t task = 0; task < state.tasks().size(); ++task) {
      const bool has_failed = state.tasks()[task].state == run::TaskState::failed;
      if (has_failed && !told_.contains(task)) ended(task, state.tasks()[task]);
    }
  }

 private:
  const run::KnownRun& run_;
  std::ofstream log_;
  std::set<std::uint32_t> told_;
};

WorkflowBackend::WorkflowBackend(WorkflowBackendOptions options,
                                 std::shared_ptr<run::Nursery> nursery)
    : options_(std::move(options)),
      nursery_(std::move(nursery)),
      news_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!news_.is_open()) throw ExecutionError("no file is left to wait for workflows with");
}

WorkflowBackend::~WorkflowBackend() {
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
void WorkflowBackend::start(const run::StepCommand& command) {
  steps_.emplace_back(command);
  eventfd_write(news_.get(), 1);
}

void WorkflowBackend::stop(std::uint32_t task) {
  for (ConductedRun& step : steps_) {
    if (step.command.task != task) continue;
    step.is_cancelled = true;
    step.control.ask(run::Interrupt::cancel);
  }
}

std::vector<run::StepEnd> WorkflowBackend::ended() {
  eventfd_t ignored = 0;
  eventfd_read(news_.get(), &ignored);
  std::vector<run::StepEnd> ends;
  {
    const std::lock_guard lock(mutex_);
    if (trouble_) std::rethrow_exception(trouble_);
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
    if (step.thread.joinable()) continue;
    try {
      step.thread = std::thread([this, &step] { work(step); });
    } catch (const std::system_error&) {
      break;  // no more threads for now; the next call tries again
    }
  }
  return ends;
}

void WorkflowBackend::work(ConductedRun& step) {
  std::optional<AttemptEnd> end;
  std::exception_ptr trouble;
  try {
    end = end_of(step);
  } catch (const run::NurseryGone&) {
    trouble = std::current_exception();
  }
  if (!end && !trouble) return;
  const std::lock_guard lock(mutex_);
  if (trouble) trouble_ = trouble;
  if (end) {
    ends_.push_back({.task = step.command.task, .attempt = step.command.attempt, .end = *end});
  }
  eventfd_write(news_.get(), 1);
}

// How the step ended; nothing when it goes on without us. Throws NurseryGone.
std::optional<AttemptEnd> WorkflowBackend::end_of(ConductedRun& step) const {
  const std::string& file = step.command.attempt_file;
  if (auto known = run::read_attempt(file).end) return known;
  std::optional<AttemptEnd> end;
  try {
    end = conduct(step);
  } catch (const run::NurseryGone&) {
    throw;
  } catch (const std::exception& error) {
    end = AttemptEnd::not_started(error.what());
    if (step.is_cancelled) end->cause = AttemptEnd::Cause::stopped;
  }
  if (end) write_down(*end, file);
  return end;
}

std::optional<AttemptEnd> WorkflowBackend::conduct(ConductedRun& step) const {
  const std::optional<run::RunFolder> folder = folder_of(step);
  if (!folder) return AttemptEnd{.cause = AttemptEnd::Cause::stopped, .time = run::wall_now()};
  const std::optional<run::RunLock> lock = lock_of(*folder, step);
  if (!lock) return std::nullopt;
  const run::KnownRun run(*folder);
  FailureLog log(run, step.command.err_file);
  const auto cause = [&](bool is_done) {
    return step.is_cancelled && !is_done ? AttemptEnd::Cause::stopped : AttemptEnd::Cause::ended;
  };
  std::optional<run::RunEnd> end;
  try {
    end = conduct_known(run, step, log);
    run::write_done(*folder, *end);
  } catch (const run::NurseryGone&) {
    throw;
  } catch (const std::exception& error) {
    if (step.is_leaving) return std::nullopt;  // the next daemon goes on with it
    log.say(error.what());
    clear_away(run);
    return AttemptEnd{.exit_code = 1, .cause = cause(false), .time = run::wall_now()};
  }
  if (step.is_leaving || end->outcome == run::RunOutcome::interrupted) return std::nullopt;
  options_.ended(run, end->state);
  const bool is_done = end->outcome == run::RunOutcome::done;
  return AttemptEnd{.exit_code = is_done ? 0 : 1,
                    .cause = cause(is_done),
                    .time = end->state.last().time,
                    .seconds = to_seconds(end->state.last().at)};
}

// Nothing of it may go on, because its folder is removed.
void WorkflowBackend::clear_away(const run::KnownRun& run) {
  try {
    batch::cancel(run);
  } catch (const std::exception&) {  // what is left ends by itself, without its folder
  }
}

// The run that an earlier daemon has begun, or a new one; nothing when it was cancelled before it
// began.
std::optional<run::RunFolder> WorkflowBackend::folder_of(ConductedRun& step) const {
  const std::string state = step.command.folder + "/state";
  const std::vector<run::RunFolder> known = run::RunFolder::all(state);
  if (!known.empty()) return known.front();
  if (step.is_cancelled) return std::nullopt;
  return run::begin_run(state, describe(step)).folder;
}

// Nothing when the daemon leaves while another process has the run. Its tasks may run: what keeps
// us from the lock, such as a full disk, is waited for.
std::optional<run::RunLock> WorkflowBackend::lock_of(const run::RunFolder& folder,
                                                     const ConductedRun& step) {
  for (bool is_told = false; !step.is_leaving; std::this_thread::sleep_for(kLockPause)) {
    try {
      if (auto lock = run::RunLock::take(folder)) return lock;
      if (step.is_cancelled && !std::exchange(is_told, true)) {
        run::post(folder, {{"what", "cancel"}});
      }
    } catch (const ExecutionError&) {
    }
  }
  return std::nullopt;
}

// Asked without patience, so that a daemon that leaves does not wait for an answer.
batch::ClusterPicture WorkflowBackend::picture(const ConductedRun& step) const {
  const auto system = batch::system_named(options_.system).make({.patience = 0});
  for (const auto until = std::chrono::steady_clock::now() + kPatience;;) {
    try {
      return system->picture();
    } catch (const batch::Unreachable&) {
      const bool is_late = std::chrono::steady_clock::now() >= until;
      if (is_late || step.is_leaving || step.is_cancelled) throw;
    }
    std::this_thread::sleep_for(kLockPause);
  }
}

run::RunDescription WorkflowBackend::describe(const ConductedRun& step) const {
  const std::string& folder = step.command.folder;
  run::RunDescription description{.workflows = {read_workflow(workflow_file(folder))},
                                  .folder = folder,
                                  .platform = Platform::empty(options_.processors, "local")};
  if (options_.system.empty()) {
    description.check();
    return description;
  }
  const batch::ClusterPicture now = picture(step);
  description.platform = batch::platform_of(now, options_.partition);
  description.batch = {.system = options_.system,
                       .partition = options_.partition,
                       .strategy = batch::kDefaultStrategy,
                       .token = batch::job_token(description.workflows.front().name())};
  description.check();
  batch::require_possible(description, description.problem(), now);
  return description;
}

run::RunEnd WorkflowBackend::conduct_known(const run::KnownRun& run, ConductedRun& step,
                                           FailureLog& log) const {
  const auto ended = [&](std::uint32_t task, const run::RunState& state) {
    log.ended(task, state.tasks()[task]);
  };
  const auto over = [&](run::RunEnd end) {
    log.over(end.state);
    return end;
  };
  if (!run.description.batch) {
    run::RunOptions options = run.description.options();
    options.renews_failures = false;
    options.ended = ended;
    return over(run::conduct(run.folder, run.problem, options, nursery_, step.control));
  }
  batch::JobRunOptions options = batch::options_of(run.description);
  options.renews_failures = false;
  options.ended = ended;
  options.say = [&](const std::string& news) { log.say(news); };
  // Without patience: what is not answered is asked again later, and requests are heard meanwhile.
  const auto system = batch::system_of(run.description, {.patience = 0});
  return over(batch::conduct(run.folder, run.problem, options, *system, step.control));
}

}  // namespace dovetail::federation
