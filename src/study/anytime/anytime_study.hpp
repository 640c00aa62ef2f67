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

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "draw/line_chart.hpp"
#include "study/anytime/anytime_tables.hpp"
#include "study/study.hpp"

namespace dovetail::study {

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
