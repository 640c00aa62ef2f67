#include "run/local/task_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace dovetail::run {

namespace {

bool has_name(const char* variable, std::string_view name) {
  return std::strncmp(variable, name.data(), name.size()) == 0 && variable[name.size()] == '=';
}

// "name=value" each; of two with the same name the last counts.
std::vector<std::string> variables_of(const StepCommand& command, const std::string& mark) {
  std::vector<std::string> variables{mark};
  for (const auto& [name, value] : command.environment) {
    std::erase_if(variables, [&](const auto& other) { return has_name(other.c_str(), name); });
    variables.push_back(name + "=" + value);
  }
  return variables;
}

cpu_set_t set_of(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) {
    if (core >= 0 && core < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(core), &set);
  }
  return set;
}

}  // namespace

TaskProcess::TaskProcess(const StepCommand& command, const std::string& mark,
                         const std::string& group)
    : command_(command),
      group_(group),
      supervisor_(getpid()),
      variables_(variables_of(command, mark)),
      cores_(set_of(command.cores)) {
  for (char** ours = environ; *ours != nullptr; ++ours) {
    const bool is_replaced = std::ranges::any_of(variables_, [&](const std::string& variable) {
      return has_name(*ours, std::string_view(variable).substr(0, variable.find('=')));
    });
    if (!is_replaced) environment_.push_back(*ours);
  }
  for (std::string& variable : variables_) environment_.push_back(variable.data());
  environment_.push_back(nullptr);
  words_ = {"sh", "-c", command.command.c_str()};
  if (!command.arguments.empty()) words_.push_back("dovetail");
  for (const std::string& argument : command.arguments) words_.push_back(argument.c_str());
  words_.push_back(nullptr);
}

pid_t TaskProcess::start(AttemptWriter& file) {
  file_ = &file;
  pid_t process = 0;
  if (command_.command.find('\0') != std::string::npos) {
    errno = EINVAL;
    give_up("a command with a zero byte in it");
  } else {
    process = clone(&TaskProcess::run, stack_.data() + stack_.size(),
                    CLONE_VM | CLONE_VFORK | SIGCHLD, this);
    if (process < 0) give_up("clone");
  }
  if (failed_ != nullptr) trouble_ = std::string(failed_) + ": " + std::strerror(error_);
  return std::max(process, 0);
}

int TaskProcess::run(void* process) { return static_cast<TaskProcess*>(process)->become_command(); }

int TaskProcess::give_up(const char* what) {
  failed_ = what;
  error_ = errno;
  return 127;
}

bool TaskProcess::redirect(const std::string& path, int target) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  return file >= 0 && dup2(file, target) >= 0;
}

bool TaskProcess::enter_group() const {
  if (group_.empty()) return true;
  const int file = open(group_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  return file >= 0 && write(file, "0", 1) == 1 && close(file) == 0;
}

// Where no group does it, each process for itself. A limit that is lower already stays.
bool TaskProcess::limit_memory() const {
  if (command_.memory_limit <= 0 || !group_.empty()) return true;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0) return false;
  const auto wanted = static_cast<rlim_t>(command_.memory_limit);
  limit.rlim_cur = std::min(limit.rlim_cur, wanted);
  limit.rlim_max = std::min(limit.rlim_max, wanted);
  return setrlimit(RLIMIT_AS, &limit) == 0;
}

int TaskProcess::become_command() {
  // A task without a supervisor must not go on: it would be taken for lost, and run again.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor_) return 126;
  setpgid(0, 0);
  // Before the command begins: its supervisor must be known from then on.
  if (!file_->write_start(getpid())) return give_up(command_.attempt_file.c_str());
  if (!enter_group()) return give_up(group_.c_str());
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // Where the system does not allow that, the task runs on any core.
  if (!command_.cores.empty()) sched_setaffinity(0, sizeof cores_, &cores_);
  if (!redirect(command_.out_file, STDOUT_FILENO)) return give_up(command_.out_file.c_str());
  if (!redirect(command_.err_file, STDERR_FILENO)) return give_up(command_.err_file.c_str());
  if (!command_.folder.empty() && chdir(command_.folder.c_str()) != 0) {
    return give_up(command_.folder.c_str());
  }
  if (!limit_memory()) return give_up("setrlimit");
  execve("/bin/sh", const_cast<char* const*>(words_.data()), environment_.data());
  return give_up("/bin/sh");
}

}  // namespace dovetail::run
