// A picture of an ensemble over time: which group computes which month of which scenario when, and
// the progress of each scenario.
//
//   EnsemblePicture picture{.title = "climate.yaml", .scenarios = 10, .months = 180, ...};
//   write_file("groups.html", ensemble_html(picture));
//
// Months that would be too narrow to see are drawn together, in the colour of the scenario that
// takes most of the time. A row of post tasks shows how many processors run them. All functions are
// pure and return self-contained text.
#pragma once

#include <string>
#include <vector>

#include "dovetail/time.hpp"

namespace dovetail::draw {

struct GroupRun {
  std::uint32_t scenario = 0;
  Count month = 0;  // from 0
  Time start = 0;
  Time end = 0;
};

// A number of processors busy during an interval.
struct BusySpell {
  Count procs = 0;
  Time start = 0;
  Time end = 0;
};

struct GroupRow {
  std::string name = {};               // "grillon 1: 9 processors"
  std::vector<GroupRun> runs = {};     // in order of time
  std::vector<Interval> absent = {};   // when the cluster is unavailable
  std::vector<BusySpell> spells = {};  // instead of months: post tasks
};

struct EnsemblePicture {
  std::string title = {};
  std::vector<std::string> facts = {};
  bool wall_clock = false;  // times count from 1970
  Interval window = {};     // not empty
  std::uint32_t scenarios = 0;
  Count months = 0;
  std::vector<GroupRow> rows = {};
};

std::string ensemble_svg(const EnsemblePicture& picture);
std::string ensemble_html(const EnsemblePicture& picture);

}  // namespace dovetail::draw
