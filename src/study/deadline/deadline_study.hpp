// Repeats the deadline evaluation of Aida and Casanova, "Scheduling Mixed-Parallel Applications
// with Advance Reservations": tightest deadlines and CPU-hours at a loose one (Tables 6 and 7),
// growth of the run times (Table 8) and run times (Tables 9 and 10), beside the published numbers.
//
//   DeadlineStudyResult result = run_deadline_study({{.seed = 1}, DeadlineReading::front});
//   std::cout << format_table(result);
//
// Except for the run times, results are the same for the same options on any number of threads.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/planner.hpp"
#include "study/degradation.hpp"
#include "study/study.hpp"
#include "study/timing.hpp"

namespace dovetail::study {

// Readings of the paper's resource-conservative algorithms: three guides (GuideReading), an
// aggressive choice bounded by CPA's share, or CPA's classic stop rule.
enum class DeadlineReading { front, whole, remaining, bounded, classic };

inline constexpr std::array<DeadlineReading, 5> kDeadlineReadings = {
    DeadlineReading::front, DeadlineReading::whole, DeadlineReading::remaining,
    DeadlineReading::bounded, DeadlineReading::classic};

std::string_view to_string(DeadlineReading reading);
PlannerOptions planner_options(DeadlineReading reading);

struct DeadlineStudyOptions : StudyOptions {
  DeadlineReading reading = DeadlineReading::front;
  // Also compares the readings, on the paper's log (or the selected logs).
  bool compare_readings = false;
};

// The algorithms of Table 6 and those of Table 7.
inline constexpr std::array<std::string_view, 5> kPlainNames = {
    "DL_BD_ALL", "DL_BD_CPA", "DL_BD_CPAR", "DL_RC_CPA", "DL_RC_CPAR"};
inline constexpr std::array<std::string_view, 4> kHybridNames = {
    "DL_BD_CPA", "DL_RC_CPAR", "DL_RC_CPAR-lambda", "DL_RCBD_CPAR-lambda"};

// The algorithms of Table 6 to which readings apply.
inline constexpr std::array<std::string_view, 2> kConservativeNames = {"DL_RC_CPA", "DL_RC_CPAR"};

// How often DL_RC_CPAR gets stuck: its tightest deadline compared with that of DL_BD_CPA.
struct BindCounts {
  std::size_t instances = 0;
  std::size_t over_twice = 0;
  std::size_t over_slightly = 0;  // over 1.02 times

  void add(const BindCounts& other);
};

// Tightest deadlines, and CPU-hours of the plans for 1.5 times the latest of these deadlines.
struct DeadlineSums {
  ComparedMetrics<kPlainNames.size()> plain;
  ComparedMetrics<kHybridNames.size()> hybrid;  // with the method real only
  BindCounts binds;

  void add(const DeadlineSums& other);
};

using DeadlineScenario = ScenarioOf<DeadlineSums>;

// Table 6 for some of the scenarios: phi 0.1, 0.2, 0.5 over all methods; the method real over all
// phi, which replaces the published column of Grid'5000, whose log is not available.
struct PlainTable {
  std::string title;
  std::array<ComparisonTable, 4> columns = {};
};

// Table 7 for some of the scenarios, with the method real.
struct HybridTable {
  ComparisonTable table;
  BindCounts binds;
};

// The rows of DL_RC_CPA and DL_RC_CPAR under one reading, and their mean distance to the published
// ones in percentage points, over both rows and the columns of phi.
struct ReadingTable {
  DeadlineReading reading = DeadlineReading::front;
  PlainTable table;
  double tightest_distance = 0;
  double cpu_distance = 0;
};

// A property that a sound campaign shows at the defaults, and whether this one does.
struct Finding {
  std::string claim;
  std::string found;
  bool agrees = false;
};

struct DeadlineStudyResult : StudyHead {
  DeadlineReading reading = DeadlineReading::front;
  std::vector<DeadlineScenario> scenarios = {};  // by application, log, reservation spec
  std::vector<PlainTable> plain = {};            // each log, all, the default application
  std::vector<HybridTable> hybrid = {};          // the same
  std::vector<Finding> findings = {};            // on the default application; empty without it
  std::vector<ReadingTable> readings = {};       // when asked for
  std::vector<TimingTable> timing = {};          // by tasks, by density; empty when not asked for
  std::vector<GrowthTable> growth = {};          // by tasks, reservations, processors; the same
};

// Throws InputError as Campaign does.
DeadlineStudyResult run_deadline_study(const DeadlineStudyOptions& options);

// One table per log (when there are several), one for all scenarios, one for the default
// application (when it was run).
std::vector<PlainTable> plain_tables(const StudyHead& head,
                                     std::span<const DeadlineScenario> scenarios);
std::vector<HybridTable> hybrid_tables(const StudyHead& head,
                                       std::span<const DeadlineScenario> scenarios);

// Over all scenarios.
ReadingTable reading_table(DeadlineReading reading, const StudyHead& head,
                           std::span<const DeadlineScenario> scenarios);

// Checks what a sound campaign shows on the default application, for any log. Needs the tables;
// empty when the application was not run.
std::vector<Finding> findings(const DeadlineStudyResult& result);

// A text report: our numbers beside the published ones.
std::string format_table(const DeadlineStudyResult& result);

// Everything except the individual scenarios.
std::string to_json(const DeadlineStudyResult& result);

// One line per scenario, table and algorithm.
std::string to_csv(const DeadlineStudyResult& result);

}  // namespace dovetail::study
