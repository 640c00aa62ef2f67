// An experiment over several clusters, as its owner's side sees it: what is to be computed, which
// part of it was given to which cluster, and how far that is.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "federation/net/message.hpp"
#include "run/clock.hpp"

namespace dovetail::federation {

// What an ensemble's file says about running it; tables of clusters in it are the planners'
// business, since every daemon knows its own.
struct ExperimentFile {
  std::string name;
  Count scenarios = 0;
  Count months = 0;
  std::string service = {};
  Json parameters = Json::object();
  Json workflow = nullptr;  // instead of months: a workflow, run as a whole
};

// A workflow as an experiment of one scenario and one month. Throws InputError.
ExperimentFile workflow_experiment(const std::string& path);

// Throw InputError with file and line.
ExperimentFile read_experiment(const std::string& path);
ExperimentFile parse_experiment(std::string_view text, const std::string& file);

// Whether the file is that of an ensemble, and not of a workflow.
bool is_ensemble_file(const std::string& path);

Json json_of(const ExperimentFile& file);
// The same again; throws what nlohmann::json throws.
ExperimentFile experiment_file_of(const Json& json);

// One request to one daemon.
struct Part {
  std::string request;
  std::string daemon;
  std::string url;
  std::vector<std::pair<Count, Count>> scenarios = {};  // number, month from which to compute
  double estimate = 0;                                  // seconds
  run::WallTime submitted = 0;
  std::string abandoned = {};  // why it was taken away: "lost", "refused"; empty: it was not
  std::size_t failures = 0;    // of its scenarios, which are tried again
  bool is_told = false;        // the daemon knows that it is not wanted any more
};

struct Place {
  std::optional<std::size_t> part = {};  // nothing: it has to be given to a cluster
  Count done = 0;                        // months that are known to be done
  Count posts_left = 0;                  // of these, whose post task is not
  bool is_leaving = false;               // its part was asked to let it go
  bool is_over = false;                  // all months and post tasks are done
  std::string failure = {};              // it has failed, and is not tried again by itself
  std::string folder = {};               // of the experiment's results on its cluster
};

// What is new in a daemon's answer.
struct Heard {
  bool is_new = false;
  std::vector<Json> entries = {};  // for the journal: scenarios that are over or have failed
};

// What the journal of an experiment says.
class ExperimentState {
 public:
  explicit ExperimentState(ExperimentFile file);

  void apply(const Json& entry);
  // Of a daemon's answer to `watch`. What it says of single months is not in the journal.
  Heard hear(std::size_t part, const Json& progress);

  const ExperimentFile& file() const { return file_; }
  const std::string& id() const { return id_; }  // unlike that of any other experiment
  const std::vector<Part>& parts() const { return parts_; }
  // By number of the scenario, from 1.
  const std::map<Count, Place>& scenarios() const { return scenarios_; }

  // Empty until it has ended: "done", "failed", "cancelled".
  const std::string& outcome() const { return outcome_; }
  // The same command goes on with it.
  bool can_go_on() const { return outcome_.empty() || outcome_ == "failed"; }
  // Whether nothing is left that could be computed.
  bool is_over() const;
  std::size_t scenarios_over() const;
  std::vector<Count> failed() const;
  // Parts that some daemon may still be at, and which nobody waits for.
  std::vector<std::size_t> untold() const;
  Count months_done() const;
  std::vector<Count> of_part(std::size_t part) const;
  std::vector<Count> unassigned() const;
  run::WallTime began() const { return began_; }
  // 0 until it has.
  run::WallTime ended() const { return ended_; }

 private:
  ExperimentFile file_;
  std::string id_;
  run::WallTime began_ = 0;
  run::WallTime ended_ = 0;
  std::vector<Part> parts_;
  std::map<Count, Place> scenarios_;
  std::string outcome_;
};

Json begin_entry(const std::string& id);
Json part_entry(const Part& part);
// The scenarios are to be taken from their part, which is asked to let them go; what is known to be
// done of each is kept. `abandoned`: the part is taken away as a whole, for that reason.
Json leave_entry(std::size_t part, const std::vector<Count>& scenarios,
                 const std::string& abandoned, const std::map<Count, Place>& known);
// Its daemon has heard that the part is not wanted.
Json told_entry(std::size_t part);
// What has failed is tried again.
Json again_entry();
Json over_entry(const std::string& outcome);

}  // namespace dovetail::federation
