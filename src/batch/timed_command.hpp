// Runs a program with a list of arguments, never through a shell, and with a time limit.
//
//   const CommandResult result = run_command({"squeue", "--noheader"}, {.seconds = 10});
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace dovetail::batch {

struct CommandLimits {
  double seconds = 10;     // then it is ended
  std::string input = {};  // what it reads from its standard input
  // Variables of our environment that it does not get, by the beginnings of their names.
  std::vector<std::string> without = {};
};

struct CommandResult {
  enum class End { exited, timed_out, not_found };
  End end = End::exited;
  int exit_code = 0;  // 128 + signal when a signal ended it
  std::string out = {};
  std::string err = {};

  bool is_fine() const { return end == End::exited && exit_code == 0; }
};

using Environment = std::vector<std::pair<std::string, std::string>>;  // besides our own

// The program has no other open file of ours than that input. It has a process group of
// its own, which is ended with it when time is up; there is no waiting for what it leaves running.
// Throws ExecutionError when no process can be made.
CommandResult run_command(const std::vector<std::string>& arguments, const CommandLimits& limits,
                          const Environment& environment = {});

using CommandRunner = std::function<CommandResult(const std::vector<std::string>& arguments,
                                                  const CommandLimits&, const Environment&)>;

}  // namespace dovetail::batch
