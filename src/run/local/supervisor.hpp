// The process between the launcher and the tasks, of which it runs one at a time (launcher.hpp).
#pragma once

#include <signal.h>

#include "run/local/descriptor.hpp"
#include "run/local/launcher.hpp"

namespace dovetail::run {

// Asks a supervisor to stop one task: the one whose group goes with it. Of this signal none is lost
// because another, for the task before, has not been taken yet.
inline int stop_signal() { return SIGRTMIN; }

// Runs what is requested over the socket (wire.hpp), in a process that was forked for that, until
// the other end is closed. Nothing of a task reaches the next: what it started has ended before,
// and what a task changes about its process it changes in a process of its own.
[[noreturn]] void supervise(Descriptor launcher) noexcept;

// How long the report of a task's end is held back for a signal to both that may be on its way: at
// most that many seconds, and that share of the task's time unless it looks stopped.
struct Holdback {
  double seconds = 0.5;
  double share = 0.02;
};

// Runs one task in the foreground, in a process that has one thread and nothing else to do
// afterwards: below a parent that may end both, such as a batch system, whose session is not left.
// SIGTERM, SIGINT and SIGHUP stop the task, also when they reach it as well.
AttemptEnd supervise_once(const StepCommand& command, const Holdback& holdback = {});

}  // namespace dovetail::run
