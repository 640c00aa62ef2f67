#include "run/local/launcher.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "dovetail/error.hpp"
#include "run/local/supervisor.hpp"
#include "run/local/wire.hpp"

namespace dovetail::run {

namespace {

// What else the process had open, such as the lock of a run, must not stay open because tasks run.
// The kept file is moved above the standard files. Those become /dev/null, for all tasks.
int keep_only(int kept) {
  if (kept <= STDERR_FILENO) kept = fcntl(kept, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  std::vector<int> open_files;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    open_files.push_back(std::stoi(entry.path().filename().string()));
  }
  for (const int file : open_files) {
    if (file > STDERR_FILENO && file != kept) close(file);
  }
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const int nothing = open("/dev/null", standard == STDIN_FILENO ? O_RDONLY : O_WRONLY);
    if (nothing == standard) continue;
    dup2(nothing, standard);
    close(nothing);
  }
  return kept;
}

// Waits for supervisors that ended, rather than ignoring them, so that `time dovetail run` counts
// what its tasks used.
void take_leave(int /*signal*/) {
  const int error = errno;
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
  errno = error;
}

// Forks a supervisor for every socket that comes in. An error here must end this process: it must
// never return as a second copy of its parent.
[[noreturn]] void nurse(int launcher) noexcept {
  launcher = keep_only(launcher);
  setsid();
  signal(SIGCHLD, take_leave);
  sigset_t child_ended;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  sigprocmask(SIG_UNBLOCK, &child_ended, nullptr);
  for (;;) {
    Descriptor socket = receive_file(launcher);
    if (!socket.is_open()) _exit(0);
    const pid_t child = fork();
    if (child == 0) {
      close(launcher);
      supervise(std::move(socket));
    }
    if (child > 0) continue;
    send_report(socket.get(), {.exit_code = 127,
                               .cause = AttemptEnd::Cause::not_started,
                               .why = std::string("fork: ") + std::strerror(errno)});
  }
}

[[noreturn]] void fail(const std::string& what) {
  throw ExecutionError(what + ": " + std::strerror(errno));
}

std::pair<Descriptor, Descriptor> make_sockets() {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) fail("socketpair");
  return {Descriptor(sockets[0]), Descriptor(sockets[1])};
}

// Every supervisor takes a socket. Tasks keep the limit that the nursery was made with.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Nursery::Nursery() {
  auto [ours, theirs] = make_sockets();
  process_ = fork();
  if (process_ < 0) fail("fork");
  if (process_ == 0) nurse(theirs.get());
  socket_ = std::move(ours);
}

Nursery::~Nursery() {
  // With its socket closed it ends, unless it was halted.
  socket_.reset();
  constexpr int kTries = 1000;
  for (int i = 0; waitpid(process_, nullptr, WNOHANG) == 0; ++i) {
    if (i == kTries) kill(process_, SIGKILL);
    usleep(1000);
  }
}

bool Nursery::fork_supervisor(int socket) const { return send_file(socket_.get(), socket); }

Descriptor lock_nursery(const std::string& lock_file) {
  Descriptor lock(open(lock_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.is_open()) fail(lock_file);
  constexpr int kTries = 60'000;
  for (int i = 0; flock(lock.get(), LOCK_EX | LOCK_NB) != 0; ++i) {
    if (errno != EWOULDBLOCK && errno != EINTR) fail(lock_file);
    if (i == kTries) {
      throw ExecutionError(lock_file +
                           ": a process has been about to start a task for a minute; "
                           "look for one called dovetail-task that does not go on");
    }
    usleep(1000);
  }
  return lock;
}

Launcher::Launcher(const std::string& lock_file, std::shared_ptr<Nursery> nursery)
    : nursery_(std::move(nursery)),
      lock_(lock_nursery(lock_file)),
      events_(epoll_create1(EPOLL_CLOEXEC)) {
  raise_file_limit();
  if (!events_.is_open()) fail("epoll_create1");
}

void Launcher::start(const StepCommand& command) {
  const int lease = command.lease ? command.lease->get() : -1;
  SupervisorLink& supervisor = free_supervisor(format_request(command), lease);
  supervisor.task = command.task;
  supervisor.attempt = command.attempt;
  supervisor.attempt_file = command.attempt_file;
}

// A supervisor that has got the request.
Launcher::SupervisorLink& Launcher::free_supervisor(const std::string& request, int lease) {
  while (!free_.empty()) {
    const auto known = supervisors_.find(free_.back());
    free_.pop_back();
    if (send_request(known->first, request, lock_.get(), lease)) return known->second;
    supervisors_.erase(known);  // killed since its last task
  }
  SupervisorLink& supervisor = new_supervisor();
  // It may have been killed meanwhile, or the system may be short of memory. A supervisor that has
  // not got its request as a whole ends with its socket, and bury() reports it.
  if (!send_request(supervisor.socket.get(), request, lock_.get(), lease)) {
    shutdown(supervisor.socket.get(), SHUT_RDWR);
  }
  return supervisor;
}

Launcher::SupervisorLink& Launcher::new_supervisor() {
  auto [ours, theirs] = make_sockets();
  if (!nursery_->fork_supervisor(theirs.get())) {
    if (errno != EPIPE && errno != ECONNRESET) fail("the process that starts tasks: sendmsg");
    throw NurseryGone("the process that starts tasks is gone");
  }
  const int number = ours.get();
  epoll_event event{.events = EPOLLIN, .data = {.fd = number}};
  if (epoll_ctl(events_.get(), EPOLL_CTL_ADD, number, &event) != 0) fail("epoll_ctl");
  return supervisors_[number] = {.socket = std::move(ours)};
}

std::vector<StepEnd> Launcher::reports() {
  std::vector<StepEnd> reports;
  std::array<epoll_event, 64> events;
  int count = 0;
  do {
    count = epoll_wait(events_.get(), events.data(), static_cast<int>(events.size()), 0);
    for (int i = 0; i < count; ++i) {
      auto report = hear(supervisors_.at(events[static_cast<std::size_t>(i)].data.fd));
      if (report) reports.push_back(std::move(*report));
    }
  } while (count == static_cast<int>(events.size()));
  return reports;
}

std::optional<StepEnd> Launcher::hear(SupervisorLink& supervisor) {
  char piece[1024];
  const ssize_t got = recv(supervisor.socket.get(), piece, sizeof piece, MSG_DONTWAIT);
  // Nothing yet, or the system is short of memory for now: what is there stays readable.
  if (got < 0 && errno != ECONNRESET) return std::nullopt;
  if (got <= 0) return bury(supervisor);
  supervisor.received.append(piece, static_cast<std::size_t>(got));
  if (!supervisor.received.ends_with('\n')) return std::nullopt;
  const auto end = parse_end(supervisor.received);
  if (!end) throw ExecutionError("a report about a task cannot be read: " + supervisor.received);
  supervisor.received.clear();
  supervisor.attempt_file.clear();
  free_.push_back(supervisor.socket.get());
  return StepEnd{.task = supervisor.task, .attempt = supervisor.attempt, .end = *end};
}

// The supervisor is gone, and with it the task that it had.
std::optional<StepEnd> Launcher::bury(SupervisorLink& supervisor) {
  const SupervisorLink gone = std::move(supervisor);
  supervisors_.erase(gone.socket.get());
  std::erase(free_, gone.socket.get());
  if (gone.attempt_file.empty()) return std::nullopt;
  const auto start = read_attempt(gone.attempt_file).start;
  // It closes its files a moment before its task is ended.
  while (start && start->supervisor.is_alive()) usleep(100);
  if (const auto end = read_attempt(gone.attempt_file).end) {
    return StepEnd{.task = gone.task, .attempt = gone.attempt, .end = *end};
  }
  return StepEnd::lost(gone.task, gone.attempt, "its supervisor was killed");
}

bool stop(const AttemptStart& start) {
  return start.supervisor.is_alive() &&
         sigqueue(start.supervisor.pid, stop_signal(), {.sival_int = start.group}) == 0;
}

}  // namespace dovetail::run
