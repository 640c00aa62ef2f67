// Signals as something to read: SIGINT and SIGTERM, or those that are named. The destructor brings
// back what they did before.
#pragma once

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <initializer_list>

#include "run/local/descriptor.hpp"

namespace dovetail::run {

class Interrupts {
 public:
  explicit Interrupts(std::initializer_list<int> signals = {SIGINT, SIGTERM}) {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : signals) sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, &before_);
    file_ = Descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~Interrupts() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Readable when there are any.
  int descriptor() const { return file_.get(); }

  // How many have come since the last call.
  int take() {
    int count = 0;
    signalfd_siginfo info{};
    while (read(file_.get(), &info, sizeof info) == sizeof info) ++count;
    return count;
  }

 private:
  sigset_t before_{};
  Descriptor file_;
};

}  // namespace dovetail::run
