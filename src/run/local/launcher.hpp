// Starts tasks, each below a supervisor.
//
// A supervisor is a small process in a session of its own. It starts the task's command, waits for
// it, stops it in time, ends what the command left behind, and writes down what happened
// (attempt_file.hpp), whether or not we are still there to hear of it; then it is free for the next
// task. To keep starting cheap however large we grow, supervisors are forked from a nursery, a
// process that was forked when we were small. There are as many as tasks ever ran at a time.
//
//   Launcher launcher(folder + "/nursery.lock");     // before there are threads
//   launcher.start({.task = 17, .command = "./solve", ...});
//   poll(launcher.descriptor()); for (const StepEnd& report : launcher.reports()) ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "run/backend.hpp"
#include "run/local/attempt_file.hpp"
#include "run/local/descriptor.hpp"

namespace dovetail::run {

// A process that forks supervisors, and must be small for that: made before anything large is read.
class Nursery {
 public:
  // Forks it, without anything that is open here. Must be called while the process has one thread.
  // Throws ExecutionError.
  Nursery();
  ~Nursery();
  Nursery(Nursery&& other) noexcept
      : process_(std::exchange(other.process_, 0)), socket_(std::move(other.socket_)) {}
  Nursery& operator=(Nursery&&) = delete;

  int socket() const { return socket_.get(); }

 private:
  pid_t process_ = 0;
  Descriptor socket_;
};

// Waits until nobody is about to start a task, and keeps it so while it is open: what an earlier
// process of ours asked for may still be about to begin. Throws ExecutionError when that takes
// longer than it should.
Descriptor lock_nursery(const std::string& lock_file);

class Launcher {
 public:
  // The file is locked as long as anybody may still start what we asked for: who
  // gets that lock later knows that every attempt either has its file, with its start in it, or
  // never begins. Throws ExecutionError, also when
  // somebody is about to start a task for longer than anybody should.
  explicit Launcher(const std::string& lock_file, Nursery nursery = {});

  // Tasks go on, and those that were asked for still begin.
  ~Launcher() = default;
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  // Asks for a start, which is reported on once. Throws ExecutionError when it takes a new
  // supervisor and the nursery is gone.
  void start(const StepCommand& command);

  // Readable when there may be reports.
  int descriptor() const { return events_.get(); }

  // Those that have come in, without waiting.
  std::vector<StepEnd> reports();

 private:
  struct Supervisor {
    Descriptor socket = {};
    std::string received = {};  // the beginning of a report
    // What it runs; no attempt file: nothing.
    std::uint32_t task = 0;
    std::uint32_t attempt = 0;
    std::string attempt_file = {};
  };
  using Supervisors = std::unordered_map<int, Supervisor>;  // by the number of the socket

  Supervisor& free_supervisor(const std::string& request);
  Supervisor& new_supervisor();
  std::optional<StepEnd> hear(Supervisor& supervisor);
  std::optional<StepEnd> bury(Supervisor& supervisor);

  Nursery nursery_;
  Descriptor lock_;
  Descriptor events_;
  Supervisors supervisors_;
  std::vector<int> free_;  // those that run nothing; the last is taken next
};

// Asks the attempt's supervisor to stop its task; false when the supervisor is gone. Nothing
// happens when it has another task by now.
bool stop(const AttemptStart& start);

}  // namespace dovetail::run
