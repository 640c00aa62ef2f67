// An experiment over several clusters, as its owner's side sees it: what is to be computed, which
// part of it was given to which cluster, and how far that is.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exec/clock.hpp"
#include "federation/message.hpp"

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

// One request to one daemon.
struct Part {
  std::string request;
  std::string daemon;
  std::string url;
  std::vector<std::pair<Count, Count>> scenarios = {};  // number, month from which to compute
  double estimate = 0;                                  // seconds
  exec::WallTime submitted = 0;
  bool is_abandoned = false;  // its daemon was lost
};

struct Place {
  std::optional<std::size_t> part = {};  // nothing: it has to be given to a cluster
  Count done = 0;                        // months that are known to be done
  bool is_leaving = false;               // its part was asked to let it go
  bool is_over = false;                  // all months and post tasks are done
  std::string failure = {};              // it has failed for good
};

// What the journal of an experiment says.
class ExperimentState {
 public:
  explicit ExperimentState(ExperimentFile file);

  void apply(const Json& entry);
  // Of a daemon's answer to `watch`, which is not in the journal. True when something is new.
  bool hear(std::size_t part, const Json& progress);

  const ExperimentFile& file() const { return file_; }
  const std::string& id() const { return id_; }  // unlike that of any other experiment
  const std::vector<Part>& parts() const { return parts_; }
  // By number of the scenario, from 1.
  const std::map<Count, Place>& scenarios() const { return scenarios_; }

  bool has_ended() const { return has_ended_; }
  bool is_over() const;
  Count months_done() const;
  std::vector<Count> of_part(std::size_t part) const;
  std::vector<Count> unassigned() const;
  exec::WallTime began() const { return began_; }

 private:
  ExperimentFile file_;
  std::string id_;
  exec::WallTime began_ = 0;
  std::vector<Part> parts_;
  std::map<Count, Place> scenarios_;
  bool has_ended_ = false;
};

Json begin_entry(const std::string& id);
Json part_entry(const Part& part);
// The scenarios are to be taken from their part; what is known to be done of each is kept.
Json leave_entry(std::size_t part, const std::vector<Count>& scenarios, bool is_lost,
                 const std::map<Count, Place>& known);
Json over_entry();

}  // namespace dovetail::federation
