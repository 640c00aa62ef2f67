// An experiment over several clusters, seen from the client: what to compute, which part was given
// to which cluster, and how far each part is.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "federation/client/part_progress.hpp"
#include "federation/net/message.hpp"
#include "run/clock.hpp"
#include "run/run_folder.hpp"

namespace dovetail::federation {

// The part of an ensemble's file that concerns running it. The tables of clusters in it are for
// planners, since every daemon knows its own.
struct ExperimentFile {
  std::string name;
  Count scenarios = 0;
  Count months = 0;
  std::string service = {};
  Json parameters = Json::object();
  Json workflow = nullptr;  // a workflow to run as a whole, instead of months
};

// A workflow as an experiment of one scenario and one month. Throws InputError.
ExperimentFile workflow_experiment(const std::string& path);

// Throws InputError with file and line.
ExperimentFile read_experiment(const std::string& path);

// Whether the file describes an ensemble rather than a workflow.
bool is_ensemble_file(const std::string& path);

Json json_of(const ExperimentFile& file);
// Reads it back; throws nlohmann's exceptions when it is malformed.
ExperimentFile experiment_file_of(const Json& json);

// One request to one daemon.
struct ExperimentPart {
  std::string request;
  std::string daemon;
  std::string url;
  std::vector<std::pair<Count, Count>> scenarios = {};  // number, month from which to compute
  double estimate = 0;                                  // seconds
  run::WallTime submitted = 0;
  std::string abandoned = {};  // why it was withdrawn: "lost", "refused"; empty: it was not
  std::size_t failures = 0;    // failed scenarios, which are tried again
  bool is_told = false;        // the daemon knows that it is no longer wanted
};

struct Place {
  std::optional<std::size_t> part = {};  // nothing: not given to a cluster yet
  Count done = 0;                        // months known to be done
  Count posts_left = 0;                  // done months whose post tasks are not
  bool is_leaving = false;               // its daemon was asked to release it
  bool is_over = false;                  // all months and post tasks are done
  std::string failure = {};              // it has failed, and is not retried automatically
  std::string folder = {};               // of the experiment's results on its cluster

  bool is_unfinished() const { return !is_over && failure.empty(); }
};

// The news in a daemon's answer.
struct Heard {
  bool is_new = false;
  std::vector<Json> entries = {};    // for the journal: scenarios that are over or have failed
  std::vector<Count> returned = {};  // scenarios that the daemon cancelled, although we did not ask
};

// The state of an experiment, according to its journal.
class ExperimentState {
 public:
  explicit ExperimentState(ExperimentFile file);

  void apply(const Json& entry);
  // Takes in a daemon's answer to `watch`. Progress of single months does not go into the journal.
  Heard hear(std::size_t part, const PartProgress& progress);

  const ExperimentFile& file() const { return file_; }
  const std::string& id() const { return id_; }  // unique among experiments
  const std::vector<ExperimentPart>& parts() const { return parts_; }
  // By number of the scenario, from 1.
  const std::map<Count, Place>& scenarios() const { return scenarios_; }

  // The outcome, empty until it ends: "done", "failed", "cancelled".
  const std::string& outcome() const { return outcome_; }
  // Whether the same command can resume it.
  bool can_go_on() const { return outcome_.empty() || outcome_ == "failed"; }
  // Whether nothing is left to compute.
  bool is_over() const;
  std::size_t scenarios_over() const;
  std::vector<Count> failed() const;
  // Parts that a daemon may still compute although they are no longer wanted.
  std::vector<std::size_t> untold() const;
  Count months_done() const;
  std::vector<Count> of_part(std::size_t part) const;
  std::vector<Count> unfinished() const;
  std::vector<Count> unassigned() const;  // unfinished, and no cluster has it
  // Whether a daemon was asked to release a scenario and has not done so yet.
  bool is_moving() const;
  // The most months that one of these scenarios lacks; at least 1.
  Count months_left(const std::vector<Count>& scenarios) const;
  // The daemon that has the scenario, which must be assigned.
  const std::string& daemon_of(Count scenario) const;
  run::WallTime began() const { return began_; }
  // 0 until it has ended.
  run::WallTime ended() const { return ended_; }

 private:
  std::vector<Count> scenarios_where(const std::function<bool(const Place&)>& holds) const;

  ExperimentFile file_;
  std::string id_;
  run::WallTime began_ = 0;
  run::WallTime ended_ = 0;
  std::vector<ExperimentPart> parts_;
  std::map<Count, Place> scenarios_;
  std::string outcome_;
};

// The state of the experiment in the folder, without the progress of single months.
ExperimentState read_experiment_state(const run::RunFolder& folder, const ExperimentFile& file);

// An entry of the journal. Those without a function of their own: "begin" with the "experiment",
// "done" and "failed" with the "scenario", its months "done", their "folder", and "why" it failed,
// "told" with the "part" whose daemon knows that it is no longer wanted, "again" when failed
// scenarios are tried again, "over" with the "outcome".
Json journal_entry(const char* what, const Json& more = Json::object());
Json part_entry(const ExperimentPart& part);
// Takes the scenarios from their part, whose daemon is asked to release them; the months known to
// be done of each are recorded. `abandoned`: the reason if the whole part is withdrawn.
Json leave_entry(std::size_t part, const std::vector<Count>& scenarios,
                 const std::string& abandoned, const std::map<Count, Place>& known);

}  // namespace dovetail::federation
