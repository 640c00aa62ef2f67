// The process of one task, from its beginning to the command.
//
// It shares its supervisor's memory until it becomes the command, while the supervisor stands
// still: that costs a quarter of what a fork does. What it does in between therefore only makes
// system calls, with all that they need made ready before.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

#include "run/local/attempt_file.hpp"
#include "run/local/launcher.hpp"

namespace dovetail::run {

class TaskProcess {
 public:
  // `mark` is a variable for the environment of the command and all that it starts: "NAME=VALUE".
  // `group`: the entrance of a control group that it runs in (memory_group.hpp); empty: none. It
  // must outlive the process's start.
  TaskProcess(const StepCommand& command, const std::string& mark, const std::string& group);
  TaskProcess(const TaskProcess&) = delete;
  TaskProcess& operator=(const TaskProcess&) = delete;

  // Starts the command in a process group of its own, after that process has written the prepared
  // start into the file, with its own number as the group. Needs SIGCHLD and all else that
  // shall not reach the command to be blocked, no signal to be handled or ignored, and /dev/null as
  // the standard input. Answers that number, or 0 when there is no process.
  pid_t start(AttemptWriter& file);

  // Why the command was not begun; empty when it was. There may be a process all the same, which
  // has ended.
  const std::string& trouble() const { return trouble_; }

 private:
  static int run(void* process);
  int become_command();
  int give_up(const char* what);
  bool redirect(const std::string& path, int target);
  bool enter_group() const;
  bool limit_memory() const;

  const StepCommand& command_;
  const std::string& group_;
  AttemptWriter* file_ = nullptr;
  pid_t supervisor_;
  std::vector<std::string> variables_;  // of the task alone
  std::vector<char*> environment_;
  std::vector<const char*> words_;
  cpu_set_t cores_;
  alignas(16) std::array<char, std::size_t{1} << 16U> stack_;  // of the task's process
  // Set by the task's process when it gives up.
  const char* failed_ = nullptr;
  int error_ = 0;
  std::string trouble_;
};

}  // namespace dovetail::run
