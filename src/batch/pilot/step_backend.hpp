// Steps on the nodes of the job that we are in, as its pilot starts them. Each is a command of the
// batch system that waits for a task on a node.
//
// A step that the system does not start, because it is away or a node is not quite back, is tried
// again. Files may take a while from a node to here: the end of an attempt and its outputs are
// waited for. Steps end when this process is gone.
//
//   StepBackend backend(folder, order, system, {.job_id = "42", .until = deadline});
//   backend.start(command);   // on the first of command.nodes
//   for (const run::StepEnd& end : backend.ended()) ...   // end.node: may more start there?
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "batch/pilot/pilot_file.hpp"
#include "batch/system.hpp"
#include "run/backend.hpp"
#include "run/interrupts.hpp"
#include "run/local/descriptor.hpp"

namespace dovetail::batch {

// The process of a step: a command that waits for the task on its node.
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

struct StepBackendOptions {
  std::string job_id = {};
  Time until = kForever;    // by the steady clock: a step that would end later is not tried again
  Duration settle = 5'000;  // how long files may take from a node to here
  Duration patience = 60'000;  // how long a step that the system does not start is tried again
};

class StepBackend final : public run::Backend {
 public:
  // All but the options must outlive it. Steps are tasks of the order.
  StepBackend(const run::RunFolder& folder, const PilotOrder& order, const BatchSystem& system,
              StepBackendOptions options);

  void start(const run::StepCommand& command) override;

  // Steps end with the process that started them: the next ended() reports it.
  void adopt(const run::StepCommand& command) override;

  // Batch systems ask all steps of a job at once: they do so when the last step that runs is to
  // stop. Steps that do not end in time get SIGTERM through their commands.
  void stop(std::uint32_t task) override;

  std::vector<run::StepEnd> ended() override;
  int descriptor() const override { return events_.get(); }

 private:
  struct RunningStep {
    const PilotTask* task = nullptr;
    run::StepCommand command;  // with where it runs
    StepProcess process;
    Time began = 0;
    Time over_since = 0;  // when its process ended; 0: it has not
    Time next_look = 0;   // for files that are not here yet
    bool is_stopping = false;
  };

  StepProcess new_process(const run::StepCommand& command) const;
  std::optional<run::StepEnd> end_of(RunningStep& step);
  // Of a step that the system did not start; nothing when it is tried again.
  std::optional<run::StepEnd> end_of_unbegun(RunningStep& step, run::StepEnd end);
  bool is_too_early(RunningStep& step) const;
  void end_processes();
  void set_alarm() const;

  const run::RunFolder& folder_;
  const PilotOrder& order_;
  const BatchSystem& system_;
  StepBackendOptions options_;
  std::string program_;  // this one
  run::SignalFile children_{SIGCHLD};
  run::Descriptor events_;
  run::Descriptor alarm_;
  std::vector<RunningStep> running_;
  std::vector<run::StepEnd> adopted_;
  std::optional<StepProcess> asker_;  // asks all steps to stop
  Time force_at_ = kForever;          // when steps that do not stop are ended
  bool is_job_over_ = false;          // by what the system says about steps
};

}  // namespace dovetail::batch
