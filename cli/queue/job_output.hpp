// What is printed of the jobs of runs on batch systems.
#pragma once

#include <span>
#include <string>

#include "batch/job_facts.hpp"
#include "cli/command.hpp"
#include "run/run_folder.hpp"

namespace dovetail::cli {

// Those of a run; none when its journal cannot be read.
batch::PilotStates known_jobs(const run::RunFolder& folder);

// A line for each job and what their waits were; empty when there are none.
std::string jobs_text(std::span<const batch::JobFacts> jobs);

// The same as a part of a page.
std::string jobs_section(std::span<const batch::JobFacts> jobs);

// dovetail history --waits: of all runs, how good estimates of waits were.
Exit show_waits(bool as_json);

}  // namespace dovetail::cli
