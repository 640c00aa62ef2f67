#include "batch/pilot/step_backend.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "dovetail/error.hpp"
#include "io/text.hpp"

namespace dovetail::batch {

namespace {

using run::NodeAfterStep;
using run::steady_now;
using run::StepCommand;
using run::StepEnd;

constexpr std::size_t kMostWords = 400;

// How long a step may take to end, beyond the grace of its task.
constexpr Duration kStepPatience = 5'000;

// In the new process; `words` ends with a null pointer.
[[noreturn]] void become_step(std::vector<char*>& words, int printed, pid_t pilot) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != pilot) _exit(126);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  dup2(printed, STDOUT_FILENO);
  dup2(printed, STDERR_FILENO);
  execvp(words.front(), words.data());
  dprintf(STDERR_FILENO, "%s: %s\n", words.front(), std::strerror(errno));
  _exit(127);
}

bool is_all_here(const PilotTask& task, const run::Attempt& attempt) {
  return attempt.end && (!attempt.end->is_success() || missing_output(task).empty());
}

}  // namespace

StepProcess::StepProcess(const std::vector<std::string>& command)
    : printed_(memfd_create("step", MFD_CLOEXEC)) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t pilot = getpid();
  process_ = fork();
  if (process_ < 0) throw ExecutionError(std::string("no new process: ") + std::strerror(errno));
  if (process_ == 0) become_step(words, printed_.get(), pilot);
}

std::optional<int> StepProcess::exit_code() {
  int status = 0;
  if (exit_code_ || waitpid(process_, &status, WNOHANG) == 0) return exit_code_;
  exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return exit_code_;
}

void StepProcess::terminate() const {
  if (!exit_code_) kill(process_, SIGTERM);
}

std::string StepProcess::last_words() const {
  const std::string file = "/proc/self/fd/" + std::to_string(printed_.get());
  return fmt::format("{}", fmt::join(io::last_lines(file, kMostWords, kMostWords), "; "));
}

StepBackend::StepBackend(const run::RunFolder& folder, const PilotOrder& order,
                         const BatchSystem& system, StepBackendOptions options)
    : folder_(folder),
      order_(order),
      system_(system),
      options_(std::move(options)),
      program_(std::filesystem::read_symlink("/proc/self/exe").string()),
      events_(epoll_create1(EPOLL_CLOEXEC)),
      alarm_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  signal(SIGCHLD, SIG_DFL);  // a process that ignores it never learns how its children ended
  for (const int file : {children_.descriptor(), alarm_.get()}) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = file}};
    if (epoll_ctl(events_.get(), EPOLL_CTL_ADD, file, &event) != 0) {
      throw ExecutionError(std::string("cannot wait for steps: ") + std::strerror(errno));
    }
  }
}

// A step has its whole node: systems may give the same cores to all steps that ask for a few of
// them and overlap. The task inside keeps to its own (run_step).
StepProcess StepBackend::new_process(const StepCommand& command) const {
  std::vector<std::string> words = {program_, "step", order_file(folder_, order_.pilot),
                                    std::to_string(command.task)};
  const auto add = [&](const char* option, const auto& values) {
    if (!values.empty()) words.push_back(fmt::format("--{}={}", option, fmt::join(values, ",")));
  };
  add("nodes", command.nodes);
  add("cores", command.cores);
  add("gpus", command.gpus);
  if (order_.spreads) return StepProcess(words);
  return StepProcess(system_.step({.node = command.nodes.front(),
                                   .cores = order_.node.cores,
                                   .name = command.name,
                                   .command = words}));
}

void StepBackend::start(const StepCommand& command) {
  running_.push_back({.task = order_.find(command.task),
                      .command = command,
                      .process = new_process(command),
                      .began = steady_now()});
}

void StepBackend::adopt(const StepCommand& command) {
  const auto end = run::read_attempt(command.attempt_file).end;
  adopted_.push_back(end ? StepEnd{.task = command.task, .attempt = command.attempt, .end = *end}
                         : StepEnd::lost(command.task, command.attempt, "its pilot was killed"));
  set_alarm();
}

void StepBackend::stop(std::uint32_t task) {
  double grace = 0;
  for (RunningStep& step : running_) {
    if (step.task->command.task == task) step.is_stopping = true;
    grace = std::max(grace, step.task->command.grace_seconds);
  }
  const bool is_asked = asker_ || force_at_ < kForever;
  const bool is_last = std::ranges::all_of(running_, &RunningStep::is_stopping);
  if (running_.empty() || is_asked || !is_last) return;
  force_at_ = steady_now() + time_ceil(grace) + kStepPatience;
  const std::vector<std::string> ask = system_.stop_steps(options_.job_id);
  if (ask.empty() || order_.spreads) {
    end_processes();
  } else {
    asker_.emplace(ask);
  }
  set_alarm();
}

void StepBackend::end_processes() {
  force_at_ = kForever;
  for (const RunningStep& step : running_) step.process.terminate();
}

std::vector<StepEnd> StepBackend::ended() {
  children_.take();
  std::uint64_t rings = 0;
  if (read(alarm_.get(), &rings, sizeof rings) < 0) rings = 0;  // it has not rung
  if (steady_now() >= force_at_) end_processes();
  std::vector<StepEnd> ends = std::exchange(adopted_, {});
  std::erase_if(running_, [&](RunningStep& step) {
    std::optional<StepEnd> end = end_of(step);
    if (end) ends.push_back(std::move(*end));
    return end.has_value();
  });
  set_alarm();
  return ends;
}

// Rings when a step that stops is to be ended, or when a file may have come.
void StepBackend::set_alarm() const {
  Time next = adopted_.empty() ? force_at_ : steady_now();
  for (const RunningStep& step : running_) {
    if (step.over_since > 0) next = std::min(next, step.next_look);
  }
  const Duration wait = next == kForever ? 0 : std::max<Duration>(1, next - steady_now());
  const itimerspec times{
      .it_interval = {},
      .it_value = {.tv_sec = wait / kSecond, .tv_nsec = wait % kSecond * 1'000'000}};
  timerfd_settime(alarm_.get(), 0, &times, nullptr);
}

std::optional<StepEnd> StepBackend::end_of(RunningStep& step) {
  const auto code = step.process.exit_code();
  if (!code) return std::nullopt;
  const StepCommand& command = step.task->command;
  const auto attempt = run::read_attempt(command.attempt_file);
  if (!is_all_here(*step.task, attempt) && is_too_early(step)) return std::nullopt;
  if (attempt.end) {
    return StepEnd{.task = command.task, .attempt = command.attempt, .end = *attempt.end};
  }
  StepEnd end = StepEnd::lost(command.task, command.attempt, "its node has not said how it ended");
  end.node = NodeAfterStep::lost;
  // With a file, the step had come as far as to begin: another one would not begin it again.
  std::error_code error;
  const bool has_file = std::filesystem::exists(command.attempt_file, error) || error;
  if (attempt.start || has_file || *code == 0) return end;
  return end_of_unbegun(step, std::move(end));
}

// Whether the end of the attempt, or an output, may still be on its way from the node.
bool StepBackend::is_too_early(RunningStep& step) const {
  const Time now = steady_now();
  if (step.over_since == 0) step.over_since = now;
  const Duration waited = now - step.over_since;
  if (waited >= options_.settle) return false;
  step.next_look = now + std::min(options_.settle - waited, std::max<Duration>(20, waited));
  return true;
}

// Steps cannot be started while the batch system is away, however long that is, or while a node is
// not quite back. A step that came too late to begin has not failed.
std::optional<StepEnd> StepBackend::end_of_unbegun(RunningStep& step, StepEnd end) {
  const std::string words = step.process.last_words();
  const StepTrouble trouble = system_.trouble_of(words);
  const Time now = steady_now();
  const bool is_early = now - step.began < options_.patience || trouble == StepTrouble::away;
  const bool has_time = now + step.task->command.expected <= options_.until;
  if (is_early && has_time && !step.is_stopping && !is_job_over_) {
    step.process = new_process(step.command);
    step.over_since = 0;
    return std::nullopt;
  }
  if (trouble == StepTrouble::job_is_over) {
    is_job_over_ = true;
    end.node = NodeAfterStep::job_is_over;
  }
  if (trouble == StepTrouble::unknown && !step.is_stopping && !is_job_over_) {
    const std::string code = std::to_string(*step.process.exit_code());
    end.end = run::AttemptEnd::not_started(words.empty() ? "the step ended with exit code " + code
                                                         : words);
    end.is_lost = false;
  }
  return end;
}

}  // namespace dovetail::batch
