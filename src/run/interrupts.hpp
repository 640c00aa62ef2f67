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

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <utility>
#include <vector>

#include "dovetail/error.hpp"
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

// Signals as something to read. This thread, and those that it starts later, block them for as long
// as it lives. Throws ExecutionError when no file is left for it.
class SignalFile {
 public:
  explicit SignalFile(std::initializer_list<int> signals) {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : signals) sigaddset(&set, number);
    file_ = Descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!file_.is_open()) throw ExecutionError("no file is left to hear signals with");
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~SignalFile() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalFile(const SignalFile&) = delete;
  SignalFile& operator=(const SignalFile&) = delete;

  // Readable when take() has something to answer.
  int descriptor() const { return file_.get(); }

  // How many signals have come since the last call.
  std::size_t take() {
    std::size_t count = 0;
    signalfd_siginfo info{};
    while (read(file_.get(), &info, sizeof info) == sizeof info) ++count;
    return count;
  }

 private:
  sigset_t before_{};
  Descriptor file_;
};

// SIGINT and SIGTERM, each of which stops.
class SignalInterrupts final : public Interrupts {
 public:
  int descriptor() const override { return signals_.descriptor(); }

  std::vector<Interrupt> take() override {
    return std::vector<Interrupt>(signals_.take(), Interrupt::stop);
  }

 private:
  SignalFile signals_{SIGINT, SIGTERM};
};

// Interrupts by other threads.
class RunControl final : public Interrupts {
 public:
  RunControl() {
    if (!file_.is_open()) throw ExecutionError("no file is left to hear interrupts with");
  }

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
