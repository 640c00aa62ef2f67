// What may interrupt a run from outside its folder, as something to poll: the signals of a command
// line, or calls from another thread of a program that conducts runs among other things.
//
//   SignalInterrupts interrupts;                       // SIGINT and SIGTERM from here on
//   conduct(folder, problem, options, nursery, interrupts);
#pragma once

#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <utility>
#include <vector>

#include "run/local/descriptor.hpp"

namespace dovetail::run {

enum class Interrupt : std::uint8_t {
  stop,    // start nothing more and wait for what runs; a second one stops what runs
  leave,   // return at once: what runs goes on, and a later call takes it over
  cancel,  // end what runs, for good
};

class Interrupts {
 public:
  virtual ~Interrupts() = default;

  // Readable when take() has something to answer.
  virtual int descriptor() const = 0;

  // Those that have come since the last call.
  virtual std::vector<Interrupt> take() = 0;
};

// Signals, each of which stops. They are blocked for as long as this lives.
class SignalInterrupts final : public Interrupts {
 public:
  explicit SignalInterrupts(std::initializer_list<int> signals = {SIGINT, SIGTERM}) {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : signals) sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, &before_);
    file_ = Descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~SignalInterrupts() override { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  SignalInterrupts(const SignalInterrupts&) = delete;
  SignalInterrupts& operator=(const SignalInterrupts&) = delete;

  int descriptor() const override { return file_.get(); }

  std::vector<Interrupt> take() override {
    std::vector<Interrupt> taken;
    signalfd_siginfo info{};
    while (read(file_.get(), &info, sizeof info) == sizeof info) taken.push_back(Interrupt::stop);
    return taken;
  }

 private:
  sigset_t before_{};
  Descriptor file_;
};

// Interrupts by other threads.
class RunControl final : public Interrupts {
 public:
  // From any thread.
  void ask(Interrupt what) {
    const std::lock_guard lock(mutex_);
    asked_.push_back(what);
    eventfd_write(file_.get(), 1);
  }

  int descriptor() const override { return file_.get(); }

  std::vector<Interrupt> take() override {
    const std::lock_guard lock(mutex_);
    eventfd_t ignored = 0;
    eventfd_read(file_.get(), &ignored);
    return std::exchange(asked_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Interrupt> asked_;
  Descriptor file_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

}  // namespace dovetail::run
