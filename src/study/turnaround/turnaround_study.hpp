// Repeats the turn-around evaluation of Aida and Casanova, "Scheduling Mixed-Parallel Applications
// with Advance Reservations": Table 4 (bounds), the comparison of bottom levels, and the run times
// of Tables 9 and 10, beside the published numbers.
//
//   TurnaroundStudyResult result = run_turnaround_study({.scale = StudyScale::quick, .seed = 1});
//   std::cout << format_table(result);
//
// Except for the run times, results are the same for the same options on any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "study/degradation.hpp"
#include "study/study.hpp"
#include "study/timing.hpp"

namespace dovetail::study {

using TurnaroundStudyOptions = StudyOptions;

// Both lists in the order of the planners' enumerations BottomLevel and Bound.
inline constexpr std::array<std::string_view, 4> kBottomLevelNames = {"BL_1", "BL_ALL", "BL_CPA",
                                                                      "BL_CPAR"};
inline constexpr std::array<std::string_view, 4> kBoundNames = {"BD_ALL", "BD_HALF", "BD_CPA",
                                                                "BD_CPAR"};
inline constexpr std::size_t kAlgorithms = kBottomLevelNames.size() * kBoundNames.size();

constexpr std::size_t algorithm_number(std::size_t bottom_level, std::size_t bound) {
  return bottom_level * kBoundNames.size() + bound;
}

// Sums over the instances of a scenario: one application on one reservation spec of one log.
struct ScenarioSums {
  std::size_t instances = 0;
  // For all sixteen algorithms: turn-around in ms, consumed processors x ms.
  std::array<std::int64_t, kAlgorithms> turnaround = {};
  std::array<std::int64_t, kAlgorithms> cpu = {};
  // BL_CPAR with each bound, which the tables of bounds compare.
  ComparedMetrics<kBoundNames.size()> bounds = {};

  void add(const ScenarioSums& other);
};

using Scenario = ScenarioOf<ScenarioSums>;

// Table 4 for some of the scenarios.
struct BoundTable : ComparisonTable {
  bool whole = false;  // all scenarios, as in the published table
};

// How much bottom levels matter, for one bound or all of them.
struct BottomLevelTable {
  std::string title;
  // Gain in a scenario's mean turn-around over BL_1, per cent, over scenarios and the other three.
  double least_gain = 0;
  double greatest_gain = 0;
  // How often each is best, per cent; ties are split.
  std::array<double, 4> best_percent = {};
};

struct TurnaroundStudyResult : StudyHead {
  std::vector<Scenario> scenarios = {};              // by application, log, reservation spec
  std::vector<BoundTable> bounds = {};               // each log, all, the default application
  std::vector<BottomLevelTable> bottom_levels = {};  // each bound, all bounds
  std::vector<TimingTable> timing = {};  // by tasks, by density; empty when not asked for
};

// Throws InputError as Campaign does.
TurnaroundStudyResult run_turnaround_study(const TurnaroundStudyOptions& options);

// One table per log (when there are several), one for all scenarios, one for the default
// application (when it was run). Needs the logs, applications and scenarios of the result.
std::vector<BoundTable> bound_tables(const TurnaroundStudyResult& result);

// One per bound, and one for all bounds.
std::vector<BottomLevelTable> bottom_level_tables(const TurnaroundStudyResult& result);

// A text report: our numbers beside the published ones.
std::string format_table(const TurnaroundStudyResult& result);

// Everything except the individual scenarios.
std::string to_json(const TurnaroundStudyResult& result);

// One line per scenario and algorithm.
std::string to_csv(const TurnaroundStudyResult& result);

}  // namespace dovetail::study
