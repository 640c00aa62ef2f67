// SIGINT and SIGTERM as something to read, and the old ways again at the end.
#pragma once

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "run/local/descriptor.hpp"

namespace dovetail::run {

class Interrupts {
 public:
  Interrupts() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGINT);
    sigaddset(&set_, SIGTERM);
    sigprocmask(SIG_BLOCK, &set_, &before_);
    file_ = Descriptor(signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~Interrupts() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Readable when there are any.
  int descriptor() const { return file_.get(); }

  // How many have come since last asked.
  int take() {
    int count = 0;
    signalfd_siginfo info{};
    while (read(file_.get(), &info, sizeof info) == sizeof info) ++count;
    return count;
  }

 private:
  sigset_t set_{};
  sigset_t before_{};
  Descriptor file_;
};

}  // namespace dovetail::run
