#include "batch/pilot/pilot_step.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "batch/pilot/pilot.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/words.hpp"
#include "run/freshness.hpp"
#include "run/local/supervisor.hpp"

namespace dovetail::batch {

namespace {

constexpr std::size_t kMostWords = 400;

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

// What it read is known even if somebody changes it while the task runs.
void prepare_folder(const PilotTask& task) {
  std::filesystem::create_directories(task.command.folder);
  if (task.inputs.empty()) return;
  TaskExecution reads;
  reads.inputs = task.inputs;
  write_file(inputs_file(task.command.attempt_file),
             run::digest_of_inputs(reads, task.command.folder));
}

// What a task starts by the system's own means stays on its node: the job has others, on which
// other tasks run.
void confine_to_node(const PilotTask& task, const BatchSystem& system) {
  const std::string hosts = hosts_file(task.command.attempt_file);
  for (const auto& [name, value] : system.confined(task.processors, hosts)) {
    setenv(name.c_str(), value.c_str(), 1);
  }
}

int write_not_started(const PilotTask& task, const std::string& why) {
  const run::AttemptEnd end = run::AttemptEnd::not_started(why);
  auto file = run::AttemptWriter::create(task.command.attempt_file);
  if (file) file->write_end(end);
  return end.exit_code;
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

int run_step(const PilotOrder& order, std::uint32_t task, const BatchSystem& system) {
  constexpr int kBegunBefore = 125;
  const auto found = std::ranges::find_if(
      order.tasks, [&](const PilotTask& other) { return other.command.task == task; });
  if (found == order.tasks.end()) {
    throw InputError("there is no task " + std::to_string(task) + " in the order of job " +
                     order.job_name);
  }
  std::error_code error;
  if (std::filesystem::exists(found->command.attempt_file, error)) {
    const auto attempt = run::read_attempt(found->command.attempt_file);
    return attempt.end && attempt.end->is_success() ? 0 : kBegunBefore;
  }
  try {
    prepare_folder(*found);
    if (!order.spreads) confine_to_node(*found, system);
  } catch (const std::exception& trouble) {
    return write_not_started(*found, trouble.what());
  }
  return run::supervise_once(found->command).exit_code;
}

}  // namespace dovetail::batch
