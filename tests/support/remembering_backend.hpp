// A back end that runs nothing: it remembers what it was told to start, and reports the ends that a
// test gives it.
#pragma once

#include <utility>
#include <vector>

#include "run/backend.hpp"

namespace dovetail::testing {

class RememberingBackend : public run::Backend {
 public:
  void start(const run::StepCommand& command) override { started.push_back(command); }
  void adopt(const run::StepCommand& command) override { started.push_back(command); }
  void stop(std::uint32_t task) override {
    ends.push_back({.task = task, .end = {.cause = run::AttemptEnd::Cause::stopped}});
  }
  std::vector<run::StepEnd> ended() override { return std::exchange(ends, {}); }
  int descriptor() const override { return -1; }

  std::vector<run::StepCommand> started;
  std::vector<run::StepEnd> ends;
};

}  // namespace dovetail::testing
