// Steps as whole runs: a workflow that a client sent is a run of the engine, conducted in a thread
// of the daemon, with processes of this machine or with jobs of a batch system.
//
// The run's folder is below `state` in the step's own folder. Its journal is the only truth: when
// the daemon ends or is killed, tasks and jobs go on, and the next daemon that adopts the step
// conducts the run to its end.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "batch/system.hpp"
#include "run/backend.hpp"
#include "run/conductor.hpp"
#include "run/known_run.hpp"

namespace dovetail::federation {

struct WorkflowBackendOptions {
  Count processors = 1;        // of this machine, for the tasks of one run
  std::string system = {};     // a name of batch::systems(); empty: processes of this machine
  std::string partition = {};  // empty: the default one
  // Called in the run's thread at its end, such as to write its report; must not throw.
  std::function<void(const run::KnownRun& run, const run::RunState& end)> ended = [](auto&&...) {};
};

class FailureLog;

class WorkflowBackend final : public run::Backend {
 public:
  WorkflowBackend(WorkflowBackendOptions options, std::shared_ptr<run::Nursery> nursery);
  // Leaves what runs to itself.
  ~WorkflowBackend() override;

  // The step's folder has the workflow, as workflow_file() names it. Of the rest of the command,
  // the number, the name, `err_file` (what went wrong) and `attempt_file` (how it ended) count.
  void start(const run::StepCommand& command) override;
  void adopt(const run::StepCommand& command) override { start(command); }
  void stop(std::uint32_t task) override;
  std::vector<run::StepEnd> ended() override;
  int descriptor() const override { return news_.get(); }

 private:
  struct ConductedRun {
    explicit ConductedRun(const run::StepCommand& given) : command(given) {}

    run::StepCommand command;
    run::RunControl control = {};
    std::atomic<bool> is_leaving = false;
    std::atomic<bool> is_cancelled = false;
    std::thread thread = {};
  };

  void work(ConductedRun& step);
  std::optional<run::AttemptEnd> end_of(ConductedRun& step) const;
  std::optional<run::AttemptEnd> conduct(ConductedRun& step) const;
  static void clear_away(const run::KnownRun& run);
  std::optional<run::RunFolder> folder_of(ConductedRun& step) const;
  static std::optional<run::RunLock> lock_of(const run::RunFolder& folder,
                                             const ConductedRun& step);
  batch::ClusterPicture picture(const ConductedRun& step) const;
  run::RunDescription describe(const ConductedRun& step) const;
  run::RunEnd conduct_known(const run::KnownRun& run, ConductedRun& step, FailureLog& log) const;

  WorkflowBackendOptions options_;
  std::shared_ptr<run::Nursery> nursery_;
  run::Descriptor news_;
  std::list<ConductedRun> steps_;  // one call of ours at a time
  std::mutex mutex_;
  std::vector<run::StepEnd> ends_;
  std::exception_ptr trouble_;  // will not pass by itself
};

}  // namespace dovetail::federation
