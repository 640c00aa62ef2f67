// An answered ensemble as JSON and in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planners/ensemble/chain_ensemble.hpp"
#include "planners/ensemble/ensemble_plan.hpp"

namespace dovetail::cli {

// The question and the answer. Schedules and vectors are by cluster, and empty unless asked for.
struct EnsembleAnswer {
  Count scenarios = 0;
  Count months = 0;
  planning::EnsembleChoices choices = {};
  planning::EnsemblePlan plan = {};
  std::vector<Count> processors = {};  // by cluster
  std::vector<std::vector<planning::MonthRun>> schedules = {};
  std::vector<std::vector<Duration>> vectors = {};
  // For pictures of plans on the calendar.
  std::vector<std::vector<planning::Slot>> off_chain = {};
  std::vector<std::vector<Interval>> absent = {};  // when the cluster is not ours
};

// Seconds; null when the months never end.
std::string end_json(Duration makespan);

std::string to_json(const EnsembleAnswer& answer);

// "2 of 9, 5 of 7".
std::string group_words(const std::vector<Count>& groups);

std::string describe_clusters(const EnsembleAnswer& answer);

// One line per heuristic for a problem on one cluster, the basic one being what gains refer to.
// Those that solve knapsacks are left out where these are too large.
std::string describe_heuristics(const planning::MonthProblem& problem, planning::Dispatch dispatch,
                                std::string_view chosen, bool with_knapsacks);

}  // namespace dovetail::cli
