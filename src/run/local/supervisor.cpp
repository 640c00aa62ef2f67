#include "run/local/supervisor.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <set>

#include "run/local/disk_sync.hpp"
#include "run/local/killed_supervisor.hpp"
#include "run/local/memory_and_gpus.hpp"
#include "run/local/memory_group.hpp"
#include "run/local/memory_watch.hpp"
#include "run/local/task_process.hpp"
#include "run/local/wire.hpp"

namespace dovetail::run {

namespace {

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

sigset_t set_of_signals(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

sigset_t watched_signals() {
  return set_of_signals({SIGCHLD, SIGTERM, SIGINT, SIGHUP, stop_signal()});
}

// The first of these signals to come, or none of them after that many seconds.
int next_signal(const sigset_t& signals, double seconds, siginfo_t* about = nullptr) {
  timespec time{};
  time.tv_sec = static_cast<time_t>(seconds);
  time.tv_nsec = static_cast<long>((seconds - static_cast<double>(time.tv_sec)) * 1e9);
  return sigtimedwait(&signals, about, &time);
}

// How long what a task leaves behind may take to end after being asked.
constexpr double kPatienceSeconds = 1;

// How long a count of such processes is good enough as the one before a task.
constexpr auto kFreshCount = std::chrono::seconds(1);

// What a supervisor knows from one task to the next.
struct SupervisorState {
  ProcessName name = {};
  // In the foreground: any signal is for the one task, and may reach both.
  std::optional<Holdback> holdback = {};
  Clock::time_point counted = {};
  long memory_kills = 0;
};

// One task, from its beginning to its end.
class TaskWatch {
 public:
  TaskWatch(const StepCommand& command, SupervisorState& supervisor)
      : command_(command), supervisor_(supervisor) {}

  // `lock` is closed as soon as the attempt's file says that it has begun; the lease when all has
  // ended, and before anybody is told.
  AttemptEnd run(Descriptor lock, Descriptor lease) {
    auto file = AttemptWriter::create(command_.attempt_file);
    if (!file) return AttemptEnd::not_started(command_.attempt_file + ": " + std::strerror(errno));
    if (!supervisor_.holdback) forget_stops();
    if (Clock::now() - supervisor_.counted > kFreshCount) count_memory_kills();
    file->prepare_start(supervisor_.name, wall_now(), command_.origin);
    if (command_.memory_limit > 0 && !command_.memory_group.empty()) {
      group_.emplace(command_.memory_group, "dovetail-" + std::to_string(supervisor_.name.pid),
                     command_.memory_limit);
    }
    const std::string no_group;
    TaskProcess process(command_, mark_of(supervisor_.name),
                        group_ ? group_->entrance() : no_group);
    began_ = Clock::now();
    task_ = process.start(*file);
    lock.reset();
    AttemptEnd end =
        process.trouble().empty() ? wait_for_task() : AttemptEnd::not_started(process.trouble());
    is_alone_ = end_the_rest();
    if (command_.syncs && end.is_success()) save_outputs(end);
    end.cpu_seconds = cpu_seconds_;
    end.peak_kib = peak_kib_;
    // Between two looks a single process may have had more.
    end.peak_memory = std::max({memory_.peak(), peak_kib_ * 1024, group_ ? group_->peak() : 0});
    group_.reset();
    write_end(*file, end);
    lease.reset();
    return end;
  }

  // Whether all that the task left behind has ended.
  bool is_alone() const { return is_alone_; }

 private:
  // A task is done only when a power cut cannot take back what it wrote.
  void save_outputs(AttemptEnd& end) const {
    end.why = sync_files(command_.outputs);
    if (!end.why.empty()) end.cause = AttemptEnd::Cause::not_saved;
  }

  // In a job nothing else tells the end: a disk that is full for a moment must not lose it.
  static void write_end(AttemptWriter& file, const AttemptEnd& end) {
    constexpr int kTries = 20;
    for (int i = 0; i < kTries && !file.write_end(end); ++i) usleep(100'000);
  }

  // Those that were meant for the task before, and came when it had ended.
  static void forget_stops() {
    while (next_signal(watched_signals(), 0) > 0) {
    }
  }

  void count_memory_kills() {
    supervisor_.counted = Clock::now();
    supervisor_.memory_kills = ended_for_memory();
  }

  // Whether the system has ended anything for want of memory since the task began: not always the
  // task.
  bool memory_ran_out() {
    const long before = supervisor_.memory_kills;
    count_memory_kills();
    return supervisor_.memory_kills > before;
  }

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

  AttemptEnd wait_for_task() {
    AttemptEnd end;
    int status = 0;
    for (pid_t ended = 0; ended != task_;) {
      ended = reap(status);
      if (ended < 0) return AttemptEnd::not_started("the task's process is gone");
      if (ended == 0) wait_for_signal(end.cause);
    }
    end.time = wall_now();
    end.seconds = elapsed();
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + end.signal;
    judge_memory(end);
    if (end.cause == AttemptEnd::Cause::ended && was_stopped_with_us(end)) {
      end.cause = AttemptEnd::Cause::stopped;
    }
    return end;
  }

  bool has_group() const { return group_ && group_->is_made(); }

  // Whether it ended for want of memory, as far as that is known. Only what is sure is its cause.
  void judge_memory(AttemptEnd& end) {
    const std::string limit = "its limit of " + memory_text(command_.memory_limit) + " of memory";
    if (end.cause == AttemptEnd::Cause::out_of_memory) end.why = "it used more than " + limit;
    if (end.cause != AttemptEnd::Cause::ended || end.exit_code == 0) return;
    // A shell gives on the death of its command as such an exit code.
    const bool was_shot = end.exit_code == 128 + SIGKILL;
    if (has_group() && group_->has_killed()) {
      end.cause = AttemptEnd::Cause::out_of_memory;
      end.why = "it used more than " + limit;
    } else if (was_shot && memory_ran_out()) {
      end.why = "probably for memory";
    } else if (command_.memory_limit > 0 && !has_group()) {
      end.why = "each of its processes was limited to " + memory_text(command_.memory_limit) +
                " of addresses";
    }
  }

  // Whether the signal that ended the task was sent here, too, and the task was faster. A batch
  // system signals one process after the other: a shell whose command was ended goes on to the next
  // one, and may end as if all were well before its own turn comes, or ours.
  bool was_stopped_with_us(const AttemptEnd& end) const {
    if (!supervisor_.holdback) return false;
    const auto [seconds, share] = *supervisor_.holdback;
    const bool looks_so = end.exit_code == 128 + SIGTERM;
    const double patience = looks_so ? seconds : std::min(seconds, share * end.seconds);
    return next_signal(set_of_signals({SIGTERM, SIGINT, SIGHUP}), patience) > 0;
  }

  // A child that has ended: the task, or what it left behind. 0 when none has; below that when
  // there are no children any more.
  pid_t reap(int& status) {
    rusage usage{};
    const pid_t ended = wait4(-1, &status, WNOHANG, &usage);
    if (ended <= 0) return ended;
    cpu_seconds_ += seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    peak_kib_ = std::max(peak_kib_, static_cast<std::int64_t>(usage.ru_maxrss));
    return ended;
  }

  // Until the task may have ended, has to be stopped, or its time is over.
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
    if (elapsed() >= memory_.next_look()) memory_.look(elapsed());
    const bool is_limited = command_.memory_limit > 0 && !has_group() && !stop_began_;
    if (is_limited && memory_.peak() > command_.memory_limit) {
      cause = AttemptEnd::Cause::out_of_memory;
      stop_began_ = elapsed();
      signal_task(SIGKILL);
      return;
    }
    left = std::min(left, std::max(0.0, memory_.next_look() - elapsed()));
    siginfo_t about{};
    const int signal = next_signal(watched_signals(), left, &about);
    if (signal > 0 && signal != SIGCHLD && !stop_began_ && is_for_this_task(about)) {
      ask_to_end(cause, AttemptEnd::Cause::stopped);
    }
  }

  // stop() says which task it means: the one before may have ended on the way. Any other signal
  // means the task that runs.
  bool is_for_this_task(const siginfo_t& about) const {
    return about.si_signo != stop_signal() || about.si_value.sival_int == task_;
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

  // Ends what the task started and did not wait for: first by SIGTERM, then by SIGKILL.
  // False when something is left.
  bool end_the_rest() {
    const double began = elapsed();
    const double patience = std::min(kPatienceSeconds, command_.grace_seconds);
    const sigset_t child_ended = set_of_signals({SIGCHLD});
    std::set<pid_t> asked;
    for (int status = 0;;) {
      pid_t ended = 0;
      while ((ended = reap(status)) > 0) asked.erase(ended);
      if (ended < 0) return true;
      const bool is_patient = elapsed() - began < patience;
      const bool can_end = is_patient ? ask_children(asked) : end_children();
      if (!can_end) return false;
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

  // False when none of those that are left may be ended, such as processes of another user.
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

  const StepCommand& command_;
  SupervisorState& supervisor_;
  pid_t task_ = 0;
  double cpu_seconds_ = 0;
  std::int64_t peak_kib_ = 0;
  MemoryWatch memory_;
  std::optional<MemoryGroup> group_;  // that limits the task's memory
  bool is_alone_ = true;
  Clock::time_point began_ = Clock::now();
  std::optional<double> stop_began_;  // seconds after the beginning
};

// Of a process that is to be a supervisor.
SupervisorState prepare() {
  // Of both, only what is ignored or blocked would reach the tasks; their processes unblock.
  for (int number = 1; number < 32; ++number) signal(number, SIG_DFL);
  const sigset_t signals = watched_signals();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  prctl(PR_SET_NAME, "dovetail-task");
  // What a task leaves behind becomes a child of this process, which can end it.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  return {.name = ProcessName::self()};
}

// For a process that was forked.
SupervisorState settle() {
  setsid();
  return prepare();
}

}  // namespace

void supervise(Descriptor launcher) noexcept {
  SupervisorState self = settle();
  while (auto request = receive_request(launcher.get())) {
    TaskWatch watch(request->command, self);
    const AttemptEnd end = watch.run(std::move(request->lock), std::move(request->lease));
    // The launcher reads the attempt's file when this process is gone.
    if (!send_report(launcher.get(), end)) break;
    if (watch.is_alone()) continue;
    // What cannot be ended must not be taken for a part of the next task.
    if (fork() != 0) _exit(0);
    self = settle();
  }
  _exit(0);
}

AttemptEnd supervise_once(const StepCommand& command, const Holdback& holdback) {
  SupervisorState self = prepare();
  self.holdback = holdback;
  const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  dup2(nothing.get(), STDIN_FILENO);
  return TaskWatch(command, self).run({}, {});
}

}  // namespace dovetail::run
