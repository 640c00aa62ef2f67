// Steps as processes of this machine, each below a supervisor (exec/launcher.hpp).
#pragma once

#include <map>
#include <optional>
#include <set>

#include "exec/adopted.hpp"
#include "exec/launcher.hpp"
#include "exec/run_folder.hpp"
#include "federation/executor.hpp"

namespace dovetail::federation {

class LocalExecutor final : public Executor {
 public:
  // The nursery was made while the process had one thread.
  LocalExecutor(exec::RunFolder folder, exec::Nursery nursery);

  void start(const StepCommand& command) override;
  void adopt(const StepCommand& command) override;
  void stop(std::uint32_t number) override;
  std::vector<StepEnd> ended() override;
  int descriptor() const override { return launcher_.descriptor(); }

 private:
  StepEnd end_of_adopted(std::uint32_t number) const;
  void ask_to_stop();

  exec::RunFolder folder_;
  exec::Launcher launcher_;
  std::map<std::uint32_t, exec::Adopted> adopted_;
  std::vector<StepEnd> known_ends_;
  std::set<std::uint32_t> stopping_;
};

// What the launcher is told of a step; its first and only attempt.
exec::TaskCommand task_command(const exec::RunFolder& folder, const StepCommand& command);

StepEnd end_of(std::uint32_t number, const exec::AttemptEnd& end);

}  // namespace dovetail::federation
