// Compares the planner DOVETAIL with every published planner for one cluster: random workflows on
// the reservation schedules of the turn-around and deadline studies, and the shapes of real
// workflows on the same schedules, each searched with several time limits. Every plan goes through
// check(), every certificate through refute().
//
//   AnytimeStudyResult result = run_anytime_study({.schedules = 1, .milliseconds = {1, 10}});
//   std::cout << format_table(result);
//
// Limits are processor time of the searching thread, so other load on the machine hardly matters;
// but results differ slightly from run to run. With trials instead of milliseconds they are the
// same for the same options on any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/time.hpp"
#include "draw/line_chart.hpp"
#include "study/study.hpp"

namespace dovetail::study {

// The questions to the planner.
enum class AnytimeQuestion {
  any_hours,      // the least turn-around at any cost
  default_hours,  // the same within 1.25 times the CPU-hours of BL_CPAR_BD_CPAR
  cpar_hours,     // within exactly its CPU-hours
  cpar_end,       // the least CPU-hours, at its end
  loose_deadline  // the same at 1.5 times the tightest deadline that a DL_ planner meets
};
inline constexpr std::array kAnytimeQuestions = {
    AnytimeQuestion::any_hours, AnytimeQuestion::default_hours, AnytimeQuestion::cpar_hours,
    AnytimeQuestion::cpar_end, AnytimeQuestion::loose_deadline};
std::string_view to_string(AnytimeQuestion question);

// How long one search may take: processor time, or trials, which give the same plan every time.
struct AnytimeLimit {
  std::optional<double> milliseconds = {};
  std::optional<std::uint64_t> trials = {};
  std::string name() const;  // "10 ms" or "500 trials"
};

// One search.
struct AnytimeAnswer {
  AnytimeQuestion question = AnytimeQuestion::any_hours;
  std::size_t limit = 0;  // position in the list of limits
  bool has_plan = false;
  bool is_valid = false;   // by check()
  bool is_proven = false;  // the certificate, by refute()
  bool is_worse = false;   // than BL_CPAR_BD_CPAR in the question's measure
  Duration turnaround = 0;
  Area area = 0;
  Duration least_turnaround = 0;  // by the certificate, 0 if it is about CPU time
  Area least_area = 0;            // the other way round
  double gap = 0;                 // certified_gap()
  std::uint64_t trials = 0;
  double spent_ms = 0;  // total processor time, including what the limit excludes
};

// A workflow on a reservation schedule: the results of the published planners, and ours.
struct AnytimeCase {
  std::string shape = {};  // the name of a real workflow; empty: a random one
  std::size_t tasks = 0;
  double width = 0;
  double density = 0;
  std::string log = {};
  Count processors = 0;
  ReservationSpec reservations = {};

  Duration best16 = 0;  // the least turn-around of the sixteen BL_x_BD_y
  Duration cpar = 0;    // of BL_CPAR_BD_CPAR, and its processors x ms
  Area cpar_area = 0;
  Duration critical_path = 0;             // every task as wide as it may be, no reservations
  Duration calendar_path = 0;             // the same around the reservations
  std::optional<Duration> tightest = {};  // deadline that a DL_ planner meets
  std::optional<Area> loose_area = {};    // the least of the DL_ planners at 1.5 times that
  std::vector<AnytimeAnswer> answers = {};

  // Null when it was not asked, or has no plan.
  const AnytimeAnswer* find(AnytimeQuestion question, std::size_t limit) const;
};

// The compared measures. Relative values are shares: -0.07 is seven per cent less.
enum class AnytimeMetric {
  turnaround_best16,     // any_hours: turn-around against the best of sixteen
  hours_any,             // any_hours: CPU-hours against BL_CPAR_BD_CPAR
  turnaround_cpar,       // cpar_hours: turn-around against BL_CPAR_BD_CPAR
  turnaround_default,    // default_hours: the same
  hours_default,         // default_hours: CPU-hours against it
  turnaround_default16,  // default_hours: turn-around against the best of sixteen
  hours_cpar_end,        // cpar_end: CPU-hours against BL_CPAR_BD_CPAR
  hours_cpar_possible,   // cpar_end: what the certificate leaves to save, in the same measure
  hours_loose,           // loose_deadline: CPU-hours against the best DL_
  gap_loose,             // loose_deadline: above the certified minimum
  gap_best_dl,           // loose_deadline: the best DL_ above the same minimum
  turnaround_dl,         // any_hours: turn-around against the tightest deadline of the DL_
  gap,                   // any_hours: certified gap
  gap_best16,            // any_hours: the best of sixteen above the same bound
  gap_default,           // default_hours: certified gap
  bound_path,            // any_hours: bound over plan, by the critical path
  bound_calendar,        // any_hours: by the critical path around the reservations
  bound_flow             // any_hours: by window flows, so by the certificate
};
inline constexpr std::size_t kAnytimeMetrics = 18;
std::string_view to_string(AnytimeMetric metric);

// One group of cases: real shapes, or random workflows of one size or of all sizes.
struct AnytimePart {
  bool shapes = false;
  std::optional<std::size_t> tasks = {};
  bool has(const AnytimeCase& one) const {
    return one.shape.empty() != shapes && (!tasks || one.tasks == *tasks);
  }
  std::string name() const;  // "25 tasks", "all", "real shapes"
  friend bool operator==(const AnytimePart&, const AnytimePart&) = default;
};

// The groups: each number of tasks that was run, all together when there are several, real shapes.
std::vector<AnytimePart> anytime_parts(std::span<const AnytimeCase> cases);

struct AnytimeSummary {
  std::size_t count = 0;
  std::size_t below = 0;  // values below 0
  double mean = 0;
  double deviation = 0;  // standard
  double median = 0;
  double least = 0;
  double greatest = 0;
};

// Over cases that have the value; all 0 when none has.
AnytimeSummary summarise(std::span<const AnytimeCase> cases, const AnytimePart& part,
                         AnytimeMetric metric, std::size_t limit);

// Instances on which the turn-around at any cost does not beat the best of sixteen; and how many of
// these leave nothing to find, because that is within a thousandth of the bound.
struct AnytimeTies {
  std::size_t count = 0;
  std::size_t at_bound = 0;
};
AnytimeTies count_ties(std::span<const AnytimeCase> cases, const AnytimePart& part,
                       std::size_t limit);

// Counts of what must never happen, over all searches.
struct AnytimeFailures {
  std::size_t searches = 0;
  std::size_t no_plan = 0;
  std::size_t invalid = 0;
  std::size_t unproven = 0;
  std::size_t worse = 0;
  std::size_t total() const { return no_plan + invalid + unproven + worse; }
};
AnytimeFailures count_failures(std::span<const AnytimeCase> cases);

// Processor time of the searches for one limit.
struct AnytimeTime {
  double mean_ms = 0;
  double worst_ms = 0;
  double mean_trials = 0;
};
AnytimeTime time_of(std::span<const AnytimeCase> cases, const AnytimePart& part,
                    AnytimeQuestion question, std::size_t limit);

// A number of docs/anytime.md: measured with the program with which the planner was designed, and
// promised. Per cent.
struct AnytimeReference {
  AnytimeMetric metric = AnytimeMetric::gap;
  AnytimePart part = {};
  double milliseconds = 0;
  std::optional<double> measured = {};
  std::optional<double> promised = {};  // an upper limit on the mean
};
// Null when there is no such number.
const AnytimeReference* find_reference(AnytimeMetric metric, const AnytimePart& part,
                                       const AnytimeLimit& limit);

// A promise and whether these cases keep it.
struct AnytimePromise {
  std::string what;
  std::string promised;
  std::string measured;  // with the program used to design the planner
  std::string ours;      // empty: not run
  bool is_kept = false;
};
std::vector<AnytimePromise> anytime_promises(std::span<const AnytimeCase> cases,
                                             std::span<const AnytimeLimit> limits);

struct AnytimeStudyOptions {
  StudyScale scale = StudyScale::quick;
  std::uint64_t seed = 1;
  unsigned threads = 0;       // that plan instances; each is planned by one. 0: all cores
  std::string data_dir = {};  // where logs and workflows are; empty: DOVETAIL_DATA
  bool synthetic = false;     // one synthetic log, and no real shapes
  bool frontier = false;      // also the frontier of one instance
  Progress progress = {};

  // Overrides of the scale.
  std::optional<std::size_t> schedules = {};  // per log and number of tasks
  std::optional<std::size_t> shapes = {};     // real workflows; 0: none
  std::vector<std::size_t> tasks = {};        // empty: 25, 50 and 100
  std::vector<double> milliseconds = {};
  std::vector<std::uint64_t> trials = {};       // instead of milliseconds
  std::vector<std::string> logs = {};           // names of archive logs; empty: all
  std::vector<AnytimeQuestion> questions = {};  // empty: all
};

struct AnytimePoint {
  Duration turnaround = 0;
  Area area = 0;
};

// Turn-around against CPU-hours on one instance.
struct AnytimeFrontier {
  std::string log = {};
  Count processors = 0;
  std::size_t tasks = 0;
  std::vector<AnytimePoint> forward = {};   // of the BL_x_BD_y
  std::vector<AnytimePoint> backward = {};  // of the DL_ planners, at several deadlines
  std::vector<AnytimePoint> ours = {};      // earliest first, each cheaper than the one before
  std::vector<AnytimePoint> bound = {};     // least consumption of any plan of this turn-around
};

struct AnytimeStudyResult {
  StudyScale scale = StudyScale::quick;
  std::uint64_t seed = 0;
  std::size_t schedules = 0;
  std::vector<StudyLog> logs = {};
  std::vector<AnytimeLimit> limits = {};
  std::string shapes_note = {};  // why there are no real shapes; empty: there are
  std::vector<AnytimeCase> cases = {};
  std::optional<AnytimeFrontier> frontier = {};
};

// Throws InputError for a missing or unknown log and for an empty selection.
AnytimeStudyResult run_anytime_study(const AnytimeStudyOptions& options);

std::string format_table(const AnytimeStudyResult& result);
std::string to_json(const AnytimeStudyResult& result);
// A line per case, question and limit.
std::string to_csv(const AnytimeStudyResult& result);

// The pictures of docs/anytime.md.
struct AnytimeFigure {
  std::string name;  // of the file, without its ending
  draw::LineChart chart;
};
std::vector<AnytimeFigure> anytime_figures(const AnytimeStudyResult& result);

}  // namespace dovetail::study
