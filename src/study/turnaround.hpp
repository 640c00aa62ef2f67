// The turn-around evaluation of Aida and Casanova, "Scheduling Mixed-Parallel Applications with
// Advance Reservations", run again: Table 4 (bounds), the comparison of bottom levels, and the run
// times of Tables 9 and 10, beside the published numbers.
//
//   TurnaroundStudyResult result = run_turnaround_study({.scale = StudyScale::quick, .seed = 1});
//   std::cout << format_table(result);
//
// Everything but the run times is the same for the same options on any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/campaign.hpp"
#include "study/parallel.hpp"

namespace dovetail {

enum class StudyScale { quick, paper };

struct TurnaroundStudyOptions {
  StudyScale scale = StudyScale::quick;
  std::uint64_t seed = 1;
  unsigned threads = 0;       // 0: as many as the machine has
  std::string data_dir = {};  // where the logs are; empty: the environment's DOVETAIL_DATA
  bool synthetic = false;     // one synthetic log instead of the four real ones
  bool timing = true;         // measure the run times, too
  Progress progress = {};

  // What to run instead of what the scale says.
  std::optional<std::size_t> workflows = {};
  std::optional<std::size_t> start_times = {};
  std::optional<std::size_t> taggings = {};
  std::vector<std::size_t> applications = {};  // positions in application_specs(); empty: all
  std::vector<std::string> logs = {};          // names of archive logs; empty: all
};

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
  // For the four bounds with BL_CPAR, compared with each other: (value - best) / best, and the
  // instances on which it is best (ties count for all).
  std::array<double, 4> turnaround_excess = {};
  std::array<double, 4> cpu_excess = {};
  std::array<std::size_t, 4> turnaround_best = {};
  std::array<std::size_t, 4> cpu_best = {};

  void add(const ScenarioSums& other);
};

struct Scenario {
  std::size_t application = 0;  // position in TurnaroundStudyResult::applications
  std::size_t log = 0;          // position in TurnaroundStudyResult::logs
  ReservationSpec reservations;
  ScenarioSums sums;
};

struct StudyLog {
  std::string name;
  Count processors = 0;
  double utilisation = 0;
};

// One metric of one algorithm over a set of scenarios.
struct Degradation {
  double percent = 0;                // above the best: mean over instances, then scenarios
  std::size_t scenario_wins = 0;     // scenarios with the least mean value; ties count for all
  double instance_wins_percent = 0;  // instances with the least value; ties count for all
};

struct BoundRow {
  Degradation turnaround;
  Degradation cpu;
};

// Table 4 for some of the scenarios.
struct BoundTable {
  std::string title;
  std::size_t scenarios = 0;
  std::size_t instances = 0;
  bool whole = false;  // all scenarios, as in the published table
  std::array<BoundRow, 4> rows = {};
};

// How much bottom levels matter, for one bound or all of them.
struct BottomLevelTable {
  std::string title;
  // Gain in a scenario's mean turn-around over BL_1, per cent, over scenarios and the other three.
  double least_gain = 0;
  double greatest_gain = 0;
  // How often each is best, per cent; ties are shared out.
  std::array<double, 4> best_percent = {};
};

// Mean milliseconds of processor time to make a plan from nothing, on one thread.
struct TimingTable {
  std::string parameter;
  std::vector<double> values;
  std::array<std::vector<double>, 4> milliseconds;  // by bound, then by value
  std::size_t instances = 0;                        // per value
};

struct TurnaroundStudyResult {
  StudyScale scale = StudyScale::quick;
  std::uint64_t seed = 0;
  CampaignSize size = {};
  std::vector<StudyLog> logs = {};
  std::vector<ApplicationSpec> applications = {};
  std::vector<Scenario> scenarios = {};              // by application, log, reservation spec
  std::vector<BoundTable> bounds = {};               // each log, all, the default application
  std::vector<BottomLevelTable> bottom_levels = {};  // each bound, all bounds
  std::vector<TimingTable> timing = {};  // by tasks, by density; empty when not asked for
};

// Throws InputError for a missing log, an unknown log name or application, or a size of nothing.
TurnaroundStudyResult run_turnaround_study(const TurnaroundStudyOptions& options);

// Text for people: ours beside the published.
std::string format_table(const TurnaroundStudyResult& result);

// Everything but the single scenarios.
std::string to_json(const TurnaroundStudyResult& result);

// One line per scenario and algorithm.
std::string to_csv(const TurnaroundStudyResult& result);

}  // namespace dovetail
