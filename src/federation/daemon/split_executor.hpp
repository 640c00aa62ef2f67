// Two executors as one: what is to run on the daemon's own machine goes to the first.
#pragma once

#include <memory>
#include <set>
#include <utility>

#include "federation/daemon/executor.hpp"

namespace dovetail::federation {

class SplitExecutor final : public Executor {
 public:
  SplitExecutor(std::unique_ptr<Executor> here, std::unique_ptr<Executor> there)
      : here_(std::move(here)), there_(std::move(there)) {}

  void start(const StepCommand& command) override { of(command).start(command); }
  void adopt(const StepCommand& command) override { of(command).adopt(command); }
  void stop(std::uint32_t number) override {
    (steps_here_.contains(number) ? here_ : there_)->stop(number);
  }
  std::vector<StepEnd> ended() override {
    std::vector<StepEnd> ends = here_->ended();
    for (const StepEnd& end : ends) steps_here_.erase(end.number);
    for (StepEnd& end : there_->ended()) ends.push_back(std::move(end));
    return ends;
  }
  // Of the other one; ends here are looked for now and then.
  int descriptor() const override { return there_->descriptor(); }

 private:
  Executor& of(const StepCommand& command) {
    if (!command.is_here) return *there_;
    steps_here_.insert(command.number);
    return *here_;
  }

  std::unique_ptr<Executor> here_;
  std::unique_ptr<Executor> there_;
  std::set<std::uint32_t> steps_here_;
};

}  // namespace dovetail::federation
