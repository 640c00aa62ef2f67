// An answered ensemble, and makespans against the number of processors: as JSON, in words, as
// pictures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/ensemble_picture.hpp"
#include "draw/line_chart.hpp"
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

std::string to_json(const EnsembleAnswer& answer);

std::string describe_clusters(const EnsembleAnswer& answer);

// One line per heuristic for a problem on one cluster, the basic one being what gains refer to.
// Those that solve knapsacks are left out where these are too large.
std::string describe_heuristics(const planning::MonthProblem& problem, planning::Dispatch dispatch,
                                std::string_view chosen, bool with_knapsacks);

// Needs the schedules of the answer.
draw::EnsemblePicture picture_of(const EnsembleAnswer& answer, const std::string& title, Time now,
                                 bool wall_clock);

// Numbers of processors to try: "11:120" or "16:128:16".
struct SweepRange {
  Count low = 1;
  Count high = 1;
  Count step = 1;
};

// Throws InputError for anything else.
SweepRange read_sweep(const std::string& text);

struct SweepRow {
  Count processors = 0;
  std::vector<Duration> makespans = {};  // in the order of the heuristics
};

// Makespans of every heuristic on growing parts of one site; kForever: no group fits. Heuristics
// that solve knapsacks are left out where one would be too large.
struct ProcessorSweep {
  std::string site = {};
  planning::Dispatch dispatch = planning::Dispatch::fair;
  std::vector<const planning::GroupingInfo*> heuristics = {};
  std::vector<SweepRow> rows = {};
};

ProcessorSweep sweep_processors(const Ensemble& ensemble, planning::Dispatch dispatch,
                                const SweepRange& range);

std::string to_json(const ProcessorSweep& sweep);
std::string describe_sweep(const ProcessorSweep& sweep);
draw::LineChart chart_of(const ProcessorSweep& sweep);

}  // namespace dovetail::cli
