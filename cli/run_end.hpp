// What is done and said when a run is over, or left to itself.
#pragma once

#include "command.hpp"
#include "exec/conductor.hpp"
#include "run_description.hpp"

namespace dovetail::cli {

// Adds it to the history of what tasks took, prints the summary, writes the report.
Exit end_run(const exec::RunFolder& folder, const RunDescription& description,
             const Problem& problem, const exec::RunEnd& end);

}  // namespace dovetail::cli
