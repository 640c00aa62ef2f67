// Runs the months of a cluster: what was asked for, in the order of month_choice.hpp, through back
// ends. Every end is on disk before a client is told of it.
//
//   MonthRunner runner(options, folder, backends);   // goes on where an earlier one was
//   runner.submit(request);   // from any thread
//   auto ended = runner.ended();   // repeatedly, from one thread
//   MonthRunner::settle(ended);
//   runner.step(ended);
//
// Not safe to share between threads: the daemon (daemon.hpp) sees to that.
#pragma once

#include "federation/daemon/month_choice.hpp"
#include "federation/daemon/month_folder.hpp"
#include "federation/daemon/month_state.hpp"
#include "run/backend.hpp"
#include "run/journal_file.hpp"
#include "run/run_folder.hpp"

namespace dovetail::federation {

// What executes months and post tasks, and what executes whole workflows.
struct RunnerBackends {
  run::Backend& months;
  run::Backend& workflows;
};

class MonthRunner {
 public:
  // Adopts what an earlier process of the same cluster left running. Throws ExecutionError when the
  // journal cannot be used.
  MonthRunner(RunnerOptions options, run::RunFolder folder, RunnerBackends backends);
  MonthRunner(const MonthRunner&) = delete;
  MonthRunner& operator=(const MonthRunner&) = delete;

  const MonthState& state() const { return state_; }

  // On disk when it returns. The same request again changes nothing. Of a scenario, the number and
  // the first month to compute count. Throws Refusal.
  void submit(MonthRequest request);

  // Nothing more of these scenarios is started, and what runs is ended; of all when there are none.
  // Throws Refusal when the client has no such request.
  void cancel(const std::string& id, const std::string& client,
              const std::vector<Count>& scenarios);

  // A step that has ended, and where it was at work.
  struct Ended {
    run::StepEnd end;
    MonthStep step;
    MonthFolder folder;
    std::string trouble = {};  // its result cannot be kept
  };

  // What has ended since it was last asked.
  std::vector<Ended> ended();

  // Returns when the results of these are on disk; a step whose result cannot be written has
  // failed. May take long, and touches nothing of the runner: needs no lock on it.
  static void settle(std::vector<Ended>& ended);

  // Takes note of what has ended and is settled, and starts what can be. True when something has
  // changed.
  bool step(const std::vector<Ended>& ended);

 private:
  const Service* find_service(const MonthRequest& request) const;
  const Service& service_of(const MonthRequest& request) const;
  void let_go_of_unknown_services();
  MonthFolder folder_of(const MonthStep& step) const;
  const Scenario& scenario_of(const MonthStep& step) const;
  run::StepCommand command_of(const MonthStep& step);
  run::Backend& backend_of(const MonthStep& step) const;
  void write(const Json& entry);

  void take_end(const Ended& ended);
  void finish(const MonthStep& step, double seconds);
  void fail(const MonthStep& step, Outcome outcome, double seconds, const std::string& what);
  void stop_cancelled();

  const MonthRequest* leading() const;
  void start_steps();
  void start(MonthStep step);

  RunnerOptions options_;
  Service workflow_service_;
  Service unknown_service_ = {.name = "", .tries = 1};  // of requests that are being let go
  run::RunFolder folder_;
  RunnerBackends backends_;
  MonthChoice choice_;
  MonthState state_;
  run::JournalWriter journal_;
};

}  // namespace dovetail::federation
