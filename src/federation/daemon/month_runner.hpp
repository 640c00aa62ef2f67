// Runs the months of a cluster: what was asked for, in the order of month_choice.hpp, through back
// ends. Every end is on disk before a client is told of it.
//
//   MonthRunner runner(options, folder, backends);   // goes on where an earlier one was
//   runner.submit(request);
//   auto ended = runner.ended();   // repeatedly
//   MonthRunner::settle(ended);
//   runner.step(ended);
//
// One call at a time, which the daemon (daemon.hpp) sees to. What may take long has parts of its
// own that need no lock, and say so; readers of record() never wait for any of it.
#pragma once

#include "federation/daemon/month_admission.hpp"
#include "federation/daemon/month_choice.hpp"
#include "federation/daemon/month_folder.hpp"
#include "federation/daemon/month_record.hpp"
#include "run/backend.hpp"
#include "run/run_folder.hpp"

namespace dovetail::federation {

// What executes months and post tasks, and what executes whole workflows.
struct RunnerBackends {
  run::Backend& months;
  run::Backend& workflows;
};

class MonthRunner {
 public:
  // Adopts what an earlier process of the same cluster left running. Throws InputError for a
  // damaged journal, and ExecutionError when it cannot be used.
  MonthRunner(RunnerOptions options, run::RunFolder folder, RunnerBackends backends);
  MonthRunner(const MonthRunner&) = delete;
  MonthRunner& operator=(const MonthRunner&) = delete;

  const MonthState& state() const { return record_.state(); }
  // For readers in other threads.
  MonthRecord& record() { return record_; }
  const MonthRecord& record() const { return record_; }

  // A request whose scenarios are its own, and which is not written down yet.
  struct Arrival {
    MonthAdmission::Place place;
    MonthRequest request;
    Json entry;
  };

  // Checks a request, and claims its scenarios. Of a scenario, the number and the first month to
  // compute count. Nothing when the same request is known already. Throws Refusal. May take long;
  // needs no lock.
  std::optional<Arrival> receive(MonthRequest request);

  // It is run from now on; on disk when it returns.
  void accept(const Arrival& arrival);

  // Both.
  void submit(MonthRequest request);

  // Nothing more of these scenarios is started, and what runs is ended; of all when there are none.
  // Throws Refusal when there is no such request.
  void cancel(const RequestName& name, const std::vector<Count>& scenarios);

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

  // Takes note of what has ended and is settled. True when something has changed.
  bool take(const std::vector<Ended>& ended);

  // Groups that are wanted before more is started; see MonthChoice. The answer may take long; needs
  // no lock.
  std::optional<GroupsQuestion> question() const;
  MonthGroups answer(const GroupsQuestion& question) const { return choice_.answer(question); }
  void use(const GroupsQuestion& question, MonthGroups groups);

  // Starts what can be. True when something was started.
  bool start_steps();

  // All of these, one after the other.
  bool step(const std::vector<Ended>& ended);

 private:
  const Service* find_service(const MonthRequest& request) const;
  const Service& service_of(const MonthRequest& request) const;
  void let_go_of_unknown_services();
  MonthFolder folder_of(const MonthStep& step) const;
  const Scenario& scenario_of(const MonthStep& step) const;
  run::StepCommand command_of(const MonthStep& step);
  run::Backend& backend_of(const MonthStep& step) const;

  void take_end(const Ended& ended);
  void finish(const MonthStep& step, double seconds);
  void fail(const MonthStep& step, Outcome outcome, double seconds, const std::string& what);
  void stop_cancelled();

  const Service* leading_service() const;
  void start(MonthStep step);

  RunnerOptions options_;
  Service workflow_service_;
  Service unknown_service_ = {.name = "", .tries = 1};  // of requests that are being let go
  run::RunFolder folder_;
  RunnerBackends backends_;
  MonthChoice choice_;
  MonthRecord record_;
  MonthAdmission admission_;
};

}  // namespace dovetail::federation
