// Two executors as one: what is to run on the daemon's own machine goes to the first.
#pragma once

#include <memory>
#include <utility>

#include "federation/executor.hpp"

namespace dovetail::federation {

class SplitExecutor final : public Executor {
 public:
  SplitExecutor(std::unique_ptr<Executor> here, std::unique_ptr<Executor> there)
      : here_(std::move(here)), there_(std::move(there)) {}

  void start(const StepCommand& command) override { of(command).start(command); }
  void adopt(const StepCommand& command) override { of(command).adopt(command); }
  void stop(std::uint32_t number) override {
    here_->stop(number);
    there_->stop(number);
  }
  std::vector<StepEnd> ended() override {
    std::vector<StepEnd> ends = here_->ended();
    for (StepEnd& end : there_->ended()) ends.push_back(std::move(end));
    return ends;
  }
  // Of the other one; ends here are looked for now and then.
  int descriptor() const override { return there_->descriptor(); }

 private:
  Executor& of(const StepCommand& command) { return command.is_here ? *here_ : *there_; }

  std::unique_ptr<Executor> here_;
  std::unique_ptr<Executor> there_;
};

}  // namespace dovetail::federation
