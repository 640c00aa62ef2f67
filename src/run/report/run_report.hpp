// What is shown of a run: its plan and what became of it, one above the other, and the facts.
//
//   write_file("run.html", run_report_html({.name = "flow-3", .problem = problem, .state =
//   state}));
//
// While a run goes on, what has not happened yet is drawn as it is expected, right of a line that
// says "now". Each text is self-contained. All functions are pure.
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
  std::optional<Time> now = {};  // by the run's clock, when it goes on
  std::string more = {};         // markup for the page, safe as it is
};

// executed_record, or outlook_record while it goes on.
PlanRecord shown_record(const ReportedRun& run);

// A page: both charts, decisions with their reasons, planned against real, every task.
std::string run_report_html(const ReportedRun& run);

// The charts and the decisions.
std::string run_report_svg(const ReportedRun& run);

}  // namespace dovetail::run
