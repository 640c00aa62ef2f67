// Steps as processes of this machine, each below a supervisor (run/local/launcher.hpp).
#pragma once

#include <map>
#include <optional>
#include <set>

#include "federation/daemon/executor.hpp"
#include "run/local/adopted.hpp"
#include "run/local/launcher.hpp"
#include "run/run_folder.hpp"

namespace dovetail::federation {

class LocalExecutor final : public Executor {
 public:
  // The nursery was made while the process had one thread.
  LocalExecutor(run::RunFolder folder, run::Nursery nursery);

  void start(const StepCommand& command) override;
  void adopt(const StepCommand& command) override;
  void stop(std::uint32_t number) override;
  std::vector<StepEnd> ended() override;
  int descriptor() const override { return launcher_.descriptor(); }

 private:
  StepEnd end_of_adopted(std::uint32_t number) const;
  void ask_to_stop();

  run::RunFolder folder_;
  run::Launcher launcher_;
  std::map<std::uint32_t, run::Adopted> adopted_;
  std::vector<StepEnd> known_ends_;
  std::set<std::uint32_t> stopping_;
};

// What the launcher is told of a step; its first and only attempt.
run::TaskCommand task_command(const run::RunFolder& folder, const StepCommand& command);

StepEnd end_of(std::uint32_t number, const run::AttemptEnd& end);

}  // namespace dovetail::federation
