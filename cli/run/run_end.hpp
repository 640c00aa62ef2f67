// What is done and said when a run is over, or left to itself.
#pragma once

#include "cli/command.hpp"
#include "cli/run/run_description.hpp"
#include "run/conductor.hpp"

namespace dovetail::cli {

// Adds it to the history of what tasks took, prints the summary, writes the report.
Exit end_run(const run::RunFolder& folder, const RunDescription& description,
             const Problem& problem, const run::RunEnd& end);

}  // namespace dovetail::cli
