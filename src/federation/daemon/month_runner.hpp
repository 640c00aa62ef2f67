// Runs the months of a cluster: what was asked for, in the order that month_groups.hpp says,
// through back ends; every end is on disk before anybody hears of it.
//
//   MonthRunner runner(options, folder, backends);   // goes on where an earlier one was
//   runner.submit(request);   // from any thread
//   auto ended = runner.ended();   // again and again, from one thread
//   MonthRunner::settle(ended);
//   runner.step(ended);
//
// Not safe to share between threads: the daemon (daemon.hpp) sees to that.
#pragma once

#include <functional>
#include <optional>
#include <set>

#include "federation/daemon/daemon_file.hpp"
#include "federation/daemon/month_folder.hpp"
#include "federation/daemon/month_groups.hpp"
#include "federation/daemon/month_state.hpp"
#include "run/backend.hpp"
#include "run/journal.hpp"
#include "run/run_folder.hpp"

namespace dovetail::federation {

struct RunnerOptions {
  std::string name;     // of the cluster
  std::string program;  // dovetail, to run workflows
  DaemonDescription description;
  // The times of a service's months as they are known now.
  std::function<MonthTimes(const Service&)> times;
  // What a month took.
  std::function<void(const Step&, const Service&, double seconds)> measured = [](auto&&...) {};
  std::function<void(const std::string& line)> log = [](auto&&...) {};
};

// What a client asks for.
struct Order {
  std::string id;
  std::string experiment;
  std::string client;
  std::string service;
  Json parameters = Json::object();
  std::string workflow = {};  // of the service kWorkflowService: with commands
  Count months = 0;
  std::vector<std::pair<Count, Count>> scenarios = {};  // number, month from which to compute
};

// What executes months and post tasks, and what executes whole workflows, which begin on the
// daemon's own machine. They may be the same.
struct RunnerBackends {
  run::Backend& months;
  run::Backend& workflows;
};

class MonthRunner {
 public:
  // Adopts what an earlier process of the same cluster left running. Throws ExecutionError when the
  // journal cannot be used.
  MonthRunner(RunnerOptions options, run::RunFolder folder, RunnerBackends backends);

  const MonthState& state() const { return state_; }

  // On disk when it returns. The same order again changes nothing. Throws Refusal.
  void submit(const Order& order);

  // Nothing more of these scenarios is started, and what runs is ended; of all when there are none.
  // Throws Refusal when the client has no such request.
  void cancel(const std::string& id, const std::string& client,
              const std::vector<Count>& scenarios);

  // A step that has ended, and where it was at work.
  struct Ended {
    run::StepEnd end;
    Step step;
    MonthFolder folder;
    std::string trouble = {};  // its result cannot be kept
  };

  // What has ended since it was last asked.
  std::vector<Ended> ended();

  // Returns when what these have computed is on disk; whose result cannot be written has failed.
  // May take long, and touches nothing of the runner: whoever guards it need not do so meanwhile.
  static void settle(std::vector<Ended>& ended);

  // Takes note of what has ended and is settled, and starts what can be. True when something has
  // changed.
  bool step(const std::vector<Ended>& ended);

  // Scenarios of the service that are not done, but for those of some requests.
  Count active_scenarios(const std::string& service, const std::set<std::string>& without) const;

  // The most that one of them has left.
  Count months_left(const std::string& service) const;

 private:
  const Service* find_service(const Request& request) const;
  const Service& service_of(const Request& request) const;
  void let_go_of_unknown_services();
  MonthFolder folder_of(const Step& step) const;
  const Scenario& scenario_of(const Step& step) const;
  run::StepCommand command_of(const Step& step);
  run::Backend& backend_of(const Step& step) const;
  void write(const Json& entry);

  void take_end(const Ended& ended);
  void finish(const Step& step, double seconds);
  void fail(const Step& step, Outcome outcome, double seconds, const std::string& what);
  void stop_cancelled();

  const Request* leading() const;
  MonthLoad load_of(const std::string& service) const;
  void regroup(const Service& service, const MonthLoad& load);
  void start_steps();
  void start(Step step);
  bool is_short_of_disk() const;
  bool flushes();

  RunnerOptions options_;
  Service workflow_service_;
  Service unknown_service_ = {.name = "", .tries = 1};  // of requests that are being let go
  run::RunFolder folder_;
  RunnerBackends backends_;
  MonthState state_;
  run::JournalWriter journal_;
  // The groups, and for what they were chosen.
  std::string grouped_service_;
  std::pair<Count, Count> grouped_for_ = {0, 0};
  MonthGroups groups_;
  bool flushing_ = false;
};

}  // namespace dovetail::federation
