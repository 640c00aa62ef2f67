// What is printed of the jobs of runs on batch systems.
#pragma once

#include <string>

#include "batch/pilot_state.hpp"
#include "cli/command.hpp"
#include "run/run_folder.hpp"

namespace dovetail::cli {

// The jobs of a run; none when its journal cannot be read.
batch::PilotStates known_jobs(const run::RunFolder& folder);

// A line for each job and what their waits were; empty when there are none.
std::string jobs_text(const batch::PilotStates& jobs);

// The same as a part of a page.
std::string jobs_section(const batch::PilotStates& jobs);

// dovetail history --waits: how good the estimates of waits were in all runs.
Exit show_waits(bool as_json);

}  // namespace dovetail::cli
