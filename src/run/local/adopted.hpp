// The supervisor of a task that an earlier process started: it does not report here, but its end
// can be waited for.
#pragma once

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <optional>

#include "run/local/attempt_file.hpp"

namespace dovetail::run {

class Adopted {
 public:
  // Nothing when it has ended.
  static std::optional<Adopted> watch(const Attempt& attempt) {
    if (!attempt.start) return std::nullopt;
    const ProcessName& supervisor = attempt.start->supervisor;
    // Opened before the check: the number cannot be given to another process then.
    Descriptor file(static_cast<int>(syscall(SYS_pidfd_open, supervisor.pid, 0)));
    if (!supervisor.is_alive()) return std::nullopt;
    return Adopted(supervisor, std::move(file));
  }

  // Readable when it has ended; nothing where the system has no such file.
  std::optional<int> descriptor() const {
    return file_.is_open() ? std::optional(file_.get()) : std::nullopt;
  }

  bool has_ended() const {
    pollfd poll_file{file_.get(), POLLIN, 0};
    return file_.is_open() ? poll(&poll_file, 1, 0) != 0 : !supervisor_.is_alive();
  }

 private:
  Adopted(ProcessName supervisor, Descriptor file)
      : supervisor_(std::move(supervisor)), file_(std::move(file)) {}

  ProcessName supervisor_;
  Descriptor file_;
};

}  // namespace dovetail::run
