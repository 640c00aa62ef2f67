// The options and input files of `dovetail ensemble`, and its plans on the calendar.
#pragma once

#include <optional>
#include <string>

#include "io/formats/ensemble_file.hpp"
#include "planners/ensemble/chain_ensemble.hpp"
#include "planners/ensemble/ensemble_plan.hpp"

namespace dovetail::cli {

struct EnsembleArguments {
  std::string file;
  std::string cluster;
  std::string heuristic;  // empty: best
  planning::Dispatch dispatch = planning::Dispatch::rotate;
  std::string repartition;  // empty: greedy
  bool json = false;
  bool schedule = false;
  bool vectors = false;
  std::string output;
  std::string plan;
  std::string folder;
  std::string gantt;
  std::string sweep;
  std::string chart;

  bool talks() const {
    return !json && output != "-" && plan != "-" && gantt != "-" && chart != "-";
  }
  bool needs_schedule() const { return schedule || !gantt.empty(); }
};

struct EnsembleInput {
  EnsembleArguments arguments;
  planning::EnsembleChoices choices;
  Platform platform;
  io::EnsembleFile file;
  Ensemble ensemble;

  // Whether every task must be planned on the calendar.
  bool needs_calendar() const;
};

// Reads the files, and warns on standard error of fields without effect. Throws InputError for
// unknown names, for options that do not go together, and for problems that are too large.
EnsembleInput read_ensemble_input(const EnsembleArguments& arguments);

// Whether the exact knapsack on the processors of the site is too large to be solved.
bool has_huge_knapsack(const Ensemble& ensemble, const EnsembleSite& site);

// The most tasks to plan on the calendar, or to draw.
inline constexpr std::int64_t kMostTasksKept = 2'000'000;

// The plan has been checked. Nothing if the months do not all fit, however late they run; then
// `full_cluster` gets the name of a cluster without room. Throws InputError for an ensemble that
// cannot be planned on a calendar.
std::optional<planning::ChainEnsemblePlan> calendar_plan(const EnsembleInput& input,
                                                         std::string& full_cluster);

// Writes the files that `dovetail check` and `dovetail run` need, and removes the scenarios of an
// earlier export. Throws InputError if the folder has other files.
void export_plan(const planning::ChainEnsemblePlan& plan, const std::string& folder);

}  // namespace dovetail::cli
