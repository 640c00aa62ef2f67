// What `dovetail ensemble` was asked and has read, and its plans on the calendar.
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
  Dispatch dispatch = Dispatch::rotate;
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

// What was read.
struct EnsembleInput {
  EnsembleArguments arguments;
  EnsembleChoices choices;
  Platform platform;
  io::EnsembleFile file;
  Ensemble ensemble;

  // Whether every task must be planned on the calendar.
  bool needs_calendar() const;
};

// Reads the files; what has no effect is said on standard error. Throws InputError for names that
// nobody knows, options that do not go together, and for what is too large.
EnsembleInput read_ensemble_input(const EnsembleArguments& arguments);

// Whether the exact knapsack of so many processors of a site is too large to be solved.
bool has_huge_knapsack(const Ensemble& ensemble, const EnsembleSite& site);

// So many tasks can be kept: planned on the calendar, or drawn.
inline constexpr std::int64_t kMostTasksKept = 2'000'000;

// Checked. Nothing when there is no room for all months, however long one waits; then
// `full_cluster` gets the name of a cluster that has none. Throws InputError for what cannot be
// planned on a calendar.
std::optional<ChainEnsemblePlan> calendar_plan(const EnsembleInput& input,
                                               std::string& full_cluster);

// Writes the files with which `dovetail check` and `dovetail run` take over, and removes the
// scenarios of a former export. Throws InputError for a folder with anything else in it.
void export_plan(const ChainEnsemblePlan& plan, const std::string& folder);

}  // namespace dovetail::cli
