// What is done and said when a run is over, or left to itself.
#pragma once

#include "cli/command.hpp"
#include "run/conductor.hpp"
#include "run/run_description.hpp"

namespace dovetail::cli {

// Writes the page that shows how a run went. Throws ExecutionError.
void write_report(const run::RunFolder& folder, const Problem& problem, const run::RunState& state);

// Adds it to the history of what tasks took, prints the summary, writes the report, and writes down
// last that the run is done, if it is.
Exit end_run(const run::RunFolder& folder, const run::RunDescription& description,
             const Problem& problem, run::RunEnd& end);

}  // namespace dovetail::cli
