// The report of a run: its plan and its execution, one above the other, and the facts.
//
//   write_file("run.html", run_report_html({.name = "flow-3", .problem = problem, .state =
//   state}));
//
// While a run is in progress, its expected future is drawn right of a line that says "now". Each
// text is self-contained. All functions are pure.
#pragma once

#include <optional>
#include <string>

#include "dovetail/plan_record.hpp"
#include "dovetail/problem.hpp"
#include "run/run_state.hpp"

namespace dovetail::run {

struct ReportedRun {
  std::string name;
  const Problem& problem;
  const RunState& state;
  std::optional<Time> now = {};  // on the run's clock, while it is in progress
  std::string more = {};         // markup for the page, already escaped
};

// executed_record, or outlook_record while it is in progress.
PlanRecord shown_record(const ReportedRun& run);

// A page: both charts, decisions with their reasons, planned against real, every task.
std::string run_report_html(const ReportedRun& run);

// The charts and the decisions.
std::string run_report_svg(const ReportedRun& run);

}  // namespace dovetail::run
