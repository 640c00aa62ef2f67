#include "exec/supervisor.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "dovetail/error.hpp"

namespace dovetail::exec {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// How many processes the system has ended for want of memory.
long ended_for_memory() {
  std::ifstream file("/proc/vmstat");
  std::string name;
  long value = 0;
  while (file >> name >> value) {
    if (name == "oom_kill") return value;
  }
  return 0;
}

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  return set;
}

// The first of those signals to come, or nothing of that kind after so many seconds.
int next_signal(const sigset_t& signals, double seconds) {
  timespec time{};
  time.tv_sec = static_cast<time_t>(seconds);
  time.tv_nsec = static_cast<long>((seconds - static_cast<double>(time.tv_sec)) * 1e9);
  return sigtimedwait(&signals, nullptr, &time);
}

constexpr std::size_t kMaxTrouble = 1024;

// Says why the task cannot be started, and ends its process.
[[noreturn]] void give_up(int supervisor, const std::string& what) {
  std::string text = what + ": " + std::strerror(errno);
  if (text.size() > kMaxTrouble) text.erase(0, text.size() - kMaxTrouble);
  const ssize_t told = write(supervisor, text.data(), text.size());
  _exit(told < 0 ? 126 : 127);
}

void pin(const std::vector<int>& cores) {
  if (cores.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) {
    if (core >= 0 && core < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(core), &set);
  }
  // Where the system does not let us, the task runs anywhere.
  if (sched_setaffinity(0, sizeof set, &set) != 0) errno = 0;
}

void redirect(int supervisor, const std::string& path, int flags, int target) {
  const Descriptor file(open(path.c_str(), flags | O_CLOEXEC, 0644));
  if (!file.is_open() || dup2(file.get(), target) < 0) give_up(supervisor, path);
}

void reset_signals() {
  // Whatever whoever started us had ignored; those beyond are the C library's own.
  for (int number = 1; number < 32; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// In the task's own process, up to the command. Waits until the supervisor allows it to begin.
[[noreturn]] void become(const TaskCommand& command, int supervisor) {
  // A task that nobody watches must not go on: it would be taken for lost, and run again.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  char go = 0;
  if (read(supervisor, &go, 1) != 1) _exit(126);
  reset_signals();
  pin(command.cores);
  for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
  redirect(supervisor, "/dev/null", O_RDONLY, 0);
  redirect(supervisor, command.out_file, O_WRONLY | O_CREAT | O_APPEND, 1);
  redirect(supervisor, command.err_file, O_WRONLY | O_CREAT | O_APPEND, 2);
  if (!command.folder.empty() && chdir(command.folder.c_str()) != 0) {
    give_up(supervisor, command.folder);
  }
  if (command.command.find('\0') != std::string::npos) {
    errno = EINVAL;
    give_up(supervisor, "a command with a zero byte in it");
  }
  execl("/bin/sh", "sh", "-c", command.command.c_str(), static_cast<char*>(nullptr));
  give_up(supervisor, "/bin/sh");
}

// How long what a task leaves behind may take to end after being asked.
constexpr double kPatienceSeconds = 1;

class Supervisor {
 public:
  explicit Supervisor(const TaskCommand& command) : command_(command) {}

  AttemptEnd run(Descriptor lock) {
    auto file = AttemptWriter::create(command_.attempt_file);
    if (!file) return not_started(command_.attempt_file + ": " + std::strerror(errno));
    const sigset_t signals = watched_signals();
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    // What the task leaves behind becomes ours, so that we can end it.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    memory_kills_ = ended_for_memory();
    began_ = Clock::now();
    const bool has_task = fork_task();
    // Before the task begins: nobody shall find one without a supervisor to ask about it.
    const bool is_known = file->write(
        AttemptStart{.supervisor = ProcessName::self(), .group = task_, .time = wall_now()});
    if (!is_known) complain(command_.attempt_file.c_str());
    lock.reset();
    AttemptEnd end = has_task && is_known && begin_task() ? wait_for_task() : not_started(why_);
    talk_.reset();
    end_the_rest();
    end.cpu_seconds = cpu_seconds_;
    end.peak_kib = peak_kib_;
    file->write(end);
    return end;
  }

 private:
  static AttemptEnd not_started(const std::string& why) {
    return {
        .exit_code = 127, .cause = AttemptEnd::Cause::not_started, .why = why, .time = wall_now()};
  }

  // False, with why_, when it cannot. The task waits to be allowed to begin.
  bool fork_task() {
    int talk[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk) != 0)
      return complain("socketpair");
    talk_ = Descriptor(talk[0]);
    Descriptor theirs(talk[1]);
    task_ = fork();
    if (task_ == 0) {
      talk_.reset();
      become(command_, theirs.get());
    }
    if (task_ < 0) {
      task_ = 0;
      return complain("fork");
    }
    setpgid(task_, task_);  // both do it: whoever comes first
    return true;
  }

  // False, with why_, when the command could not be begun.
  bool begin_task() {
    if (write(talk_.get(), "g", 1) != 1) return complain("the task's process is gone");
    char text[kMaxTrouble];
    const ssize_t got = read(talk_.get(), text, sizeof text);
    if (got > 0) why_.assign(text, static_cast<std::size_t>(got));
    return got <= 0;
  }

  bool complain(const char* what) {
    why_ = std::string(what) + ": " + std::strerror(errno);
    return false;
  }

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

  AttemptEnd wait_for_task() {
    AttemptEnd end;
    int status = 0;
    for (pid_t ended = 0; ended != task_;) {
      ended = reap(status);
      if (ended < 0) return not_started("the task's process is gone");
      if (ended == 0) wait_for_signal(end.cause);
    }
    end.time = wall_now();
    end.seconds = elapsed();
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + end.signal;
    // A shell gives on the death of its command as such an exit code.
    const bool was_shot = end.exit_code == 128 + SIGKILL && end.cause == AttemptEnd::Cause::ended;
    if (was_shot && ended_for_memory() > memory_kills_) {
      end.cause = AttemptEnd::Cause::out_of_memory;
    }
    return end;
  }

  // One of our processes that has ended: the task, or what it left behind. 0 when none has; below
  // that when there are no processes any more.
  pid_t reap(int& status) {
    rusage usage{};
    const pid_t ended = wait4(-1, &status, WNOHANG, &usage);
    if (ended <= 0) return ended;
    cpu_seconds_ += seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    peak_kib_ = std::max(peak_kib_, static_cast<std::int64_t>(usage.ru_maxrss));
    return ended;
  }

  // Until the task may have ended, we are asked to stop it, or its time is over.
  void wait_for_signal(AttemptEnd::Cause& cause) {
    double left = 3600;
    if (stop_began_) {
      left = *stop_began_ + command_.grace_seconds - elapsed();
      if (left <= 0) {
        signal_task(SIGKILL);
        left = 1;
      }
    } else if (command_.timeout_seconds > 0) {
      left = std::min(left, command_.timeout_seconds - elapsed());
      if (left <= 0) return ask_to_end(cause, AttemptEnd::Cause::timed_out);
    }
    const int signal = next_signal(watched_signals(), left);
    if (signal > 0 && signal != SIGCHLD && !stop_began_) {
      ask_to_end(cause, AttemptEnd::Cause::stopped);
    }
  }

  void ask_to_end(AttemptEnd::Cause& cause, AttemptEnd::Cause why) {
    cause = why;
    stop_began_ = elapsed();
    signal_task(SIGTERM);
    signal_task(SIGCONT);
  }

  void signal_task(int signal) const {
    kill(-task_, signal);
    if (getpgid(task_) != task_) kill(task_, signal);  // it has left the group that it began in
  }

  // Whatever the task started and did not wait for: asked first, and ended when it does not listen.
  void end_the_rest() {
    const double began = elapsed();
    const double patience = std::min(kPatienceSeconds, command_.grace_seconds);
    sigset_t child_ended;
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    std::set<pid_t> asked;
    for (int status = 0;;) {
      pid_t ended = 0;
      while ((ended = reap(status)) > 0) asked.erase(ended);
      if (ended < 0) return;
      const bool is_patient = elapsed() - began < patience;
      const bool can_end = is_patient ? ask_children(asked) : end_children();
      if (!can_end) return;
      next_signal(child_ended, 0.02);
    }
  }

  static bool ask_children(std::set<pid_t>& asked) {
    for (const pid_t child : children()) {
      if (!asked.insert(child).second) continue;
      kill(child, SIGTERM);
      kill(child, SIGCONT);
    }
    return true;
  }

  // False when none of those that are left may be ended by us, such as those of another user.
  static bool end_children() {
    bool may_end = false;
    for (const pid_t child : children()) may_end |= kill(child, SIGKILL) == 0;
    return may_end;
  }

  static std::vector<pid_t> children() {
    std::ifstream file("/proc/self/task/" + std::to_string(getpid()) + "/children");
    std::vector<pid_t> pids;
    for (pid_t pid = 0; file >> pid;) pids.push_back(pid);
    return pids;
  }

  const TaskCommand& command_;
  pid_t task_ = 0;
  Descriptor talk_;  // to the task's process, before it becomes the command
  std::string why_;
  long memory_kills_ = 0;
  double cpu_seconds_ = 0;
  std::int64_t peak_kib_ = 0;
  Clock::time_point began_ = Clock::now();
  std::optional<double> stop_began_;  // seconds after the beginning
};

}  // namespace

void supervise(const TaskCommand& command, int reports, Descriptor lock) noexcept {
  setsid();
  signal(SIGPIPE, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);
  prctl(PR_SET_NAME, "dovetail-task");
  const int nothing = open("/dev/null", O_RDWR);
  for (const int standard : {0, 1, 2}) dup2(nothing, standard);
  if (nothing > 2) close(nothing);
  const AttemptEnd end = Supervisor(command).run(std::move(lock));
  const std::string line = format_report({command.task, command.attempt, end});
  const ssize_t told = write(reports, line.data(), line.size());
  _exit(told < 0 ? 1 : 0);
}

std::string format_report(const TaskReport& report) {
  return "{\"task\":" + std::to_string(report.task) +
         ",\"attempt\":" + std::to_string(report.attempt) + ",\"end\":" + to_json(report.end) +
         "}\n";
}

TaskReport parse_report(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  const auto end = json.is_object() ? parse_end(json.value("end", Json()).dump()) : std::nullopt;
  if (!end) throw ExecutionError("a report about a task cannot be read: " + line);
  return {.task = json.value("task", 0U), .attempt = json.value("attempt", 0U), .end = *end};
}

}  // namespace dovetail::exec
