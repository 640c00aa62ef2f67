// The process of a step, as its pilot sees it: a command that waits for the task on a node.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "run/local/descriptor.hpp"

namespace dovetail::batch {

class StepProcess {
 public:
  // Starts it, with nothing to read. It is ended when we are gone: then it would not be watched.
  // Throws ExecutionError when there can be no more processes.
  explicit StepProcess(const std::vector<std::string>& command);

  // The exit code, 128 + signal when a signal ended it; nothing while it runs.
  std::optional<int> exit_code();

  // Sends SIGTERM, unless it has ended.
  void terminate() const;

  // The end of what it printed, in one line.
  std::string last_words() const;

 private:
  pid_t process_ = 0;
  std::optional<int> exit_code_;
  run::Descriptor printed_;
};

}  // namespace dovetail::batch
