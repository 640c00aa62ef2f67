// Starts tasks, each below a supervisor.
//
// A supervisor is a small process in a session of its own. It starts the task's command, waits for
// it, stops it in time, ends what the command left behind, and writes down what happened
// (attempt_file.hpp), whether or not the launcher is still there; then it is free for the next
// task. Supervisors are forked from a nursery, a process that was forked while this one was small:
// starting a task stays cheap however large this process grows. A launcher has as many supervisors
// as it ever had tasks at a time.
//
//   const auto nursery = std::make_shared<Nursery>();     // while the process has one thread
//   Launcher launcher(folder + "/nursery.lock", nursery);
//   launcher.start({.task = 17, .command = "./solve", ...});
//   poll(launcher.descriptor()); for (const StepEnd& report : launcher.reports()) ...
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dovetail/error.hpp"
#include "run/backend.hpp"
#include "run/local/attempt_file.hpp"
#include "run/local/descriptor.hpp"

namespace dovetail::run {

// No more tasks can be started, whatever is tried.
class NurseryGone : public ExecutionError {
 public:
  using ExecutionError::ExecutionError;
};

// A process that forks supervisors, for any number of launchers. Make it before anything large is
// read: it must be small.
class Nursery {
 public:
  // Forks it, without any file that is open here. Needs a process with one thread. Throws
  // ExecutionError.
  Nursery();
  ~Nursery();
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;

  // Has a supervisor forked that serves the other end of the socket. False when the nursery is
  // gone. From any thread.
  bool fork_supervisor(int socket) const;

 private:
  pid_t process_ = 0;
  Descriptor socket_;
};

// Waits until no process is about to start a task of the run, and keeps it so while the file is
// open: what an earlier launcher asked for may still be about to begin. Throws ExecutionError when
// that takes longer than it should.
Descriptor lock_nursery(const std::string& lock_file);

class Launcher {
 public:
  // The file is locked as long as anything may still start what this launcher asked for: with that
  // lock, every attempt either has its file, with its start in it, or never begins. Throws as
  // lock_nursery.
  Launcher(const std::string& lock_file, std::shared_ptr<Nursery> nursery);

  // Tasks go on, and those that were asked for still begin.
  ~Launcher() = default;
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  // Asks for a start, which is reported on once. Throws NurseryGone when it takes a new
  // supervisor and the nursery is gone.
  void start(const StepCommand& command);

  // Readable when there may be reports.
  int descriptor() const { return events_.get(); }

  // The reports that have come in, without waiting.
  std::vector<StepEnd> reports();

 private:
  struct SupervisorLink {
    Descriptor socket = {};
    std::string received = {};  // the beginning of a report
    // What it runs; without an attempt file it runs nothing.
    std::uint32_t task = 0;
    std::uint32_t attempt = 0;
    std::string attempt_file = {};
  };
  using Supervisors = std::unordered_map<int, SupervisorLink>;  // by the number of the socket

  SupervisorLink& free_supervisor(const std::string& request, int lease);
  SupervisorLink& new_supervisor();
  std::optional<StepEnd> hear(SupervisorLink& supervisor);
  std::optional<StepEnd> bury(SupervisorLink& supervisor);

  std::shared_ptr<Nursery> nursery_;
  Descriptor lock_;
  Descriptor events_;
  Supervisors supervisors_;
  std::vector<int> free_;  // supervisors that run nothing; the last is taken next
};

// Asks the attempt's supervisor to stop its task; false when the supervisor is gone. Nothing
// happens when it has another task by now.
bool stop(const AttemptStart& start);

}  // namespace dovetail::run
