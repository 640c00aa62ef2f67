#include "batch/timed_command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

#include "dovetail/error.hpp"
#include "run/clock.hpp"
#include "run/local/descriptor.hpp"

namespace dovetail::batch {

namespace {

using run::Descriptor;

[[noreturn]] void fail_to_run(const std::string& program, int error) {
  throw ExecutionError("cannot run " + program + ": " + std::strerror(error));
}

struct Pipe {
  Descriptor reading;
  Descriptor writing;
};

// Numbers above the standard files, so that none replaces another in the new process.
Descriptor above_standard(Descriptor file, const std::string& program) {
  if (file.get() > STDERR_FILENO) return file;
  Descriptor moved(fcntl(file.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!moved.is_open()) fail_to_run(program, errno);
  return moved;
}

Pipe make_pipe(const std::string& program) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail_to_run(program, errno);
  Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  Pipe pipe{above_standard(std::move(reading), program),
            above_standard(std::move(writing), program)};
  fcntl(pipe.reading.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

// A file in memory, to be read from its beginning.
Descriptor make_input(const std::string& text, const std::string& program) {
  Descriptor file(memfd_create("input", MFD_CLOEXEC));
  if (!file.is_open()) fail_to_run(program, errno);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote =
        pwrite(file.get(), text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (wrote < 0) fail_to_run(program, errno);
    done += static_cast<std::size_t>(wrote);
  }
  return above_standard(std::move(file), program);
}

std::vector<std::string> make_environment(const CommandLimits& limits, const Environment& more) {
  std::vector<std::string> all;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view entry = *at;
    const std::string_view name = entry.substr(0, entry.find('='));
    const bool is_dropped =
        std::any_of(limits.without.begin(), limits.without.end(),
                    [&](const std::string& beginning) { return name.starts_with(beginning); }) ||
        std::any_of(more.begin(), more.end(), [&](const auto& own) { return own.first == name; });
    if (!is_dropped) all.emplace_back(entry);
  }
  for (const auto& [name, value] : more) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// What the new process does before it becomes the program.
class SpawnSettings {
 public:
  SpawnSettings(int in, int out, int err) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, err, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// A process that the destructor ends and waits for.
class Child {
 public:
  explicit Child(pid_t process)
      : process_(process), watch_(static_cast<int>(syscall(SYS_pidfd_open, process, 0))) {}
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Readable once the process has ended. Not open on systems that do not have this.
  const Descriptor& watch() const { return watch_; }

  // Nothing while it runs.
  std::optional<int> exit_code() {
    if (!code_) wait(WNOHANG);
    return code_;
  }

  void end() {
    if (code_) return;
    kill(-process_, SIGKILL);
    wait(0);
  }

 private:
  void wait(int options) {
    int status = 0;
    pid_t answer = 0;
    while ((answer = waitpid(process_, &status, options)) < 0 && errno == EINTR) {
    }
    if (answer == 0) return;
    // A program that ignores SIGCHLD never learns how its children ended.
    if (answer < 0) status = 0xff00;
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  pid_t process_;
  Descriptor watch_;
  std::optional<int> code_ = {};
};

// Reads what is there; closes the file at its end.
void take(Descriptor& file, std::string& text) {
  std::array<char, 65536> buffer;
  while (file.is_open()) {
    const ssize_t size = read(file.get(), buffer.data(), buffer.size());
    if (size > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(size));
    } else if (size == 0 || (errno != EINTR && errno != EAGAIN)) {
      file.reset();
    } else if (errno == EAGAIN) {
      return;
    }
  }
}

// Reads all that the process prints until it ends; false when time is up before.
bool follow(Child& child, Descriptor& out, Descriptor& err, std::int64_t until,
            CommandResult& result) {
  constexpr std::int64_t kLookMs = 20;  // where the end of a process cannot be polled
  constexpr std::int64_t kLongMs = 60'000;
  for (;;) {
    const bool is_over = child.exit_code().has_value();
    take(out, result.out);
    take(err, result.err);
    if (is_over) return true;
    const std::int64_t left = until - run::steady_now();
    if (left <= 0) return false;
    std::array<pollfd, 3> files{
        {{out.get(), POLLIN, 0}, {err.get(), POLLIN, 0}, {child.watch().get(), POLLIN, 0}}};
    poll(files.data(), files.size(),
         static_cast<int>(std::min(left, child.watch().is_open() ? kLongMs : kLookMs)));
  }
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& arguments, const CommandLimits& limits,
                          const Environment& environment) {
  const std::string& program = arguments.at(0);
  const Descriptor in = make_input(limits.input, program);
  Pipe out = make_pipe(program);
  Pipe err = make_pipe(program);
  const std::vector<std::string> variables = make_environment(limits, environment);
  pid_t process = 0;
  {
    const SpawnSettings settings(in.get(), out.writing.get(), err.writing.get());
    const int error =
        posix_spawnp(&process, program.c_str(), settings.actions(), settings.attributes(),
                     pointers_to(arguments).data(), pointers_to(variables).data());
    if (error == ENOENT) return {.end = CommandResult::End::not_found, .exit_code = 127};
    if (error != 0) fail_to_run(program, error);
  }
  Child child(process);
  out.writing.reset();
  err.writing.reset();
  constexpr double kLongest = 1e9;
  const auto length = std::llround(std::clamp(limits.seconds, 0.0, kLongest) * kSecond);
  CommandResult result;
  const bool has_ended =
      follow(child, out.reading, err.reading, run::steady_now() + length, result);
  child.end();
  result.end = has_ended ? CommandResult::End::exited : CommandResult::End::timed_out;
  result.exit_code = *child.exit_code();
  return result;
}

}  // namespace dovetail::batch
