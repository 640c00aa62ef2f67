// Starts tasks, each below a supervisor of its own.
//
// A supervisor is a small process in a session of its own. It starts the task's command, waits for
// it, stops it in time, ends what the command left behind, and writes down what happened
// (attempt_file.hpp), whether or not we are still there to hear of it. To keep starting cheap
// however large we grow, supervisors are forked from a nursery, a process that was forked when we
// were small.
//
//   Launcher launcher(folder + "/nursery.lock");     // before there are threads
//   launcher.start({.task = 17, .command = "./solve", ...});
//   poll(launcher.descriptor()); for (const TaskReport& report : launcher.reports()) ...
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "exec/attempt_file.hpp"
#include "exec/descriptor.hpp"

namespace dovetail::exec {

// How long a task that is asked to end may take before it is ended.
inline constexpr double kGraceSeconds = 10;

struct TaskCommand {
  std::uint32_t task = 0;
  std::uint32_t attempt = 0;
  std::string command = {};  // for /bin/sh -c
  std::string folder = {};   // in which it runs
  std::string attempt_file = {};
  std::string out_file = {};
  std::string err_file = {};
  std::vector<std::pair<std::string, std::string>> environment = {};  // besides our own
  std::vector<int> cores = {};                                        // empty: anywhere
  double timeout_seconds = 0;                                         // 0: none
  double grace_seconds = kGraceSeconds;
};

struct TaskReport {
  std::uint32_t task = 0;
  std::uint32_t attempt = 0;
  AttemptEnd end = {};
};

class Launcher {
 public:
  // Forks the nursery, which holds a lock on the file for as long as it may still start something:
  // who gets that lock later knows that every attempt either has its file, with its start in it, or
  // never begins. Nothing else that is open here stays open there. Must be called while the process
  // has one thread. Throws ExecutionError.
  explicit Launcher(const std::string& lock_file);

  // Tasks go on; the nursery ends once it has started all that it was asked to.
  ~Launcher();
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  // Asks for a start. Throws ExecutionError when the nursery is gone.
  void start(const TaskCommand& command);

  // Readable when there are reports.
  int descriptor() const { return reports_.get(); }

  // Those that have come in, without waiting. Throws ExecutionError when none is left to come as
  // the nursery is gone and all tasks have ended.
  std::vector<TaskReport> reports();

 private:
  // Until a request can be sent; takes in what the nursery may have to say first.
  void wait_for_room();
  void receive();

  pid_t nursery_ = 0;
  Descriptor requests_;
  Descriptor reports_;
  std::string received_;  // reports, and the beginning of one
  bool is_over_ = false;  // nobody can report any more
};

// Asks the attempt's supervisor to stop its task; false when it does not run any more.
bool stop(const AttemptStart& start);

}  // namespace dovetail::exec
