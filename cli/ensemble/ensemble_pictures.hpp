// Ensembles as pictures: groups over time, and makespans against the number of processors.
#pragma once

#include <string>
#include <vector>

#include "cli/ensemble/ensemble_output.hpp"
#include "draw/ensemble_picture.hpp"
#include "draw/line_chart.hpp"

namespace dovetail::cli {

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
