#include "exec/launcher.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "dovetail/error.hpp"
#include "exec/supervisor.hpp"

namespace dovetail::exec {

namespace {

using Json = nlohmann::ordered_json;

// Requests travel as a size and that many bytes.
std::string format_request(const TaskCommand& command) {
  const Json json = {{"task", command.task},
                     {"attempt", command.attempt},
                     {"command", command.command},
                     {"folder", command.folder},
                     {"attempt_file", command.attempt_file},
                     {"out_file", command.out_file},
                     {"err_file", command.err_file},
                     {"environment", command.environment},
                     {"cores", command.cores},
                     {"timeout", command.timeout_seconds},
                     {"grace", command.grace_seconds}};
  // Bytes as they are: a command may hold what is no UTF-8.
  const std::vector<std::uint8_t> body = Json::to_cbor(json);
  const auto size = static_cast<std::uint32_t>(body.size());
  std::string request(sizeof size, '\0');
  std::memcpy(request.data(), &size, sizeof size);
  request.append(body.begin(), body.end());
  return request;
}

TaskCommand parse_request(const std::string& body) {
  const Json json = Json::from_cbor(body);
  return {.task = json.at("task"),
          .attempt = json.at("attempt"),
          .command = json.at("command"),
          .folder = json.at("folder"),
          .attempt_file = json.at("attempt_file"),
          .out_file = json.at("out_file"),
          .err_file = json.at("err_file"),
          .environment = json.at("environment"),
          .cores = json.at("cores"),
          .timeout_seconds = json.at("timeout"),
          .grace_seconds = json.at("grace")};
}

// False at the end of the requests.
bool read_all(int from, char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t got = read(from, data, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    data += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

std::optional<TaskCommand> next_request(int from) {
  std::uint32_t size = 0;
  char head[sizeof size];
  if (!read_all(from, head, sizeof head)) return std::nullopt;
  std::memcpy(&size, head, sizeof size);
  std::string body(size, '\0');
  if (!read_all(from, body.data(), body.size())) return std::nullopt;
  return parse_request(body);
}

// Whatever else the process had open, such as the lock of a run, must not stay open because tasks
// run. The three that stay come to lie above the standard ones, which supervisors replace.
void keep_only(std::array<int*, 3> kept) {
  for (int* const file : kept) {
    if (*file <= STDERR_FILENO) *file = fcntl(*file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  }
  std::vector<int> open_files;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    open_files.push_back(std::stoi(entry.path().filename().string()));
  }
  for (const int file : open_files) {
    const auto is_it = [file](const int* other) { return *other == file; };
    if (file > STDERR_FILENO && std::none_of(kept.begin(), kept.end(), is_it)) close(file);
  }
}

// An error here must end this process, and never come back as a second one of its parent.
[[noreturn]] void nurse(int requests, int reports, int lock) noexcept {
  keep_only({&requests, &reports, &lock});
  setsid();
  signal(SIGCHLD, SIG_IGN);  // supervisors are nobody's business once they run
  signal(SIGPIPE, SIG_IGN);
  while (const auto command = next_request(requests)) {
    const pid_t child = fork();
    if (child == 0) {
      close(requests);
      supervise(*command, reports, Descriptor(lock));
    }
    if (child > 0) continue;
    const TaskReport failed{command->task,
                            command->attempt,
                            {.exit_code = 127,
                             .cause = AttemptEnd::Cause::not_started,
                             .why = std::string("fork: ") + std::strerror(errno)}};
    const std::string line = format_report(failed);
    if (write(reports, line.data(), line.size()) < 0) _exit(1);
  }
  _exit(0);
}

constexpr const char* kNurseryIsGone = "the process that starts tasks is gone";

[[noreturn]] void fail(const std::string& what) {
  throw ExecutionError(what + ": " + std::strerror(errno));
}

}  // namespace

Launcher::Launcher(const std::string& lock_file) {
  const Descriptor lock(open(lock_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!lock.is_open()) fail(lock_file);
  // A nursery of an earlier run of us may still be busy for a moment.
  if (flock(lock.get(), LOCK_EX) != 0) fail(lock_file);
  int requests[2];
  int reports[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, requests) != 0) fail("socketpair");
  Descriptor ours(requests[0]);
  const Descriptor theirs(requests[1]);
  if (pipe2(reports, O_CLOEXEC) != 0) fail("pipe");
  Descriptor read_end(reports[0]);
  const Descriptor write_end(reports[1]);
  nursery_ = fork();
  if (nursery_ < 0) fail("fork");
  if (nursery_ == 0) {
    ours.reset();
    read_end.reset();
    nurse(theirs.get(), write_end.get(), lock.get());
  }
  fcntl(read_end.get(), F_SETFL, O_NONBLOCK);
  requests_ = std::move(ours);
  reports_ = std::move(read_end);
}

Launcher::~Launcher() {
  requests_.reset();
  while (waitpid(nursery_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Launcher::start(const TaskCommand& command) {
  const std::string request = format_request(command);
  std::size_t done = 0;
  while (done < request.size()) {
    const ssize_t wrote = send(requests_.get(), request.data() + done, request.size() - done,
                               MSG_NOSIGNAL | MSG_DONTWAIT);
    if (wrote >= 0) {
      done += static_cast<std::size_t>(wrote);
    } else if (errno == EAGAIN) {
      wait_for_room();
    } else if (errno != EINTR) {
      fail(kNurseryIsGone);
    }
  }
}

void Launcher::wait_for_room() {
  std::array<pollfd, 2> files = {{{.fd = requests_.get(), .events = POLLOUT, .revents = 0},
                                  {.fd = reports_.get(), .events = POLLIN, .revents = 0}}};
  poll(files.data(), files.size(), -1);
  receive();
}

void Launcher::receive() {
  char piece[1 << 14];
  for (;;) {
    const ssize_t got = read(reports_.get(), piece, sizeof piece);
    if (got <= 0) {
      is_over_ = got == 0;
      return;
    }
    received_.append(piece, static_cast<std::size_t>(got));
  }
}

std::vector<TaskReport> Launcher::reports() {
  receive();
  std::vector<TaskReport> reports;
  std::size_t begin = 0;
  for (auto end = received_.find('\n'); end != std::string::npos;
       end = received_.find('\n', begin)) {
    reports.push_back(parse_report(received_.substr(begin, end - begin)));
    begin = end + 1;
  }
  received_.erase(0, begin);
  if (reports.empty() && is_over_) throw ExecutionError(kNurseryIsGone);
  return reports;
}

bool stop(const AttemptStart& start) {
  return start.supervisor.is_alive() && kill(start.supervisor.pid, SIGTERM) == 0;
}

}  // namespace dovetail::exec
