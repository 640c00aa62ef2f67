// A disk that is full, for tests of what writes files.
#pragma once

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace dovetail::testing {

// While it lives, no file of this process can grow beyond so many bytes: writing ends short, and
// then fails, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

enum class SmallDisk { fine, wrong, not_possible };

// Calls `check` in a process of its own that sees a disk of so many bytes, such as "64k", in the
// folder, which must be there. Where the system does not allow that: not_possible.
template <typename Check>
SmallDisk on_small_disk(const std::string& folder, const std::string& bytes, Check check) {
  constexpr int kWrong = 1;
  constexpr int kNotPossible = 2;
  const pid_t child = fork();
  if (child == 0) {
    const std::string options = "size=" + bytes;
    const bool is_apart = unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
    if (!is_apart || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", folder.c_str(), "tmpfs", 0, options.c_str()) != 0) {
      _exit(kNotPossible);
    }
    _exit(check() ? 0 : kWrong);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return SmallDisk::not_possible;
  if (!WIFEXITED(status)) return SmallDisk::wrong;
  if (WEXITSTATUS(status) == kNotPossible) return SmallDisk::not_possible;
  return WEXITSTATUS(status) == 0 ? SmallDisk::fine : SmallDisk::wrong;
}

}  // namespace dovetail::testing
