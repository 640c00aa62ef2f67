// What is printed about a run when it has ended, and when one asks.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "run/known_run.hpp"
#include "run/report/run_facts.hpp"
#include "run/report/run_report.hpp"

namespace dovetail::cli {

// A run for its report; while a process works on it, as it is now. It refers to `run`.
run::ReportedRun reported(const run::KnownRun& run);

// A few lines, planned against real, then a table of the tasks or, when they are many, their kinds.
std::string summary_text(const run::RunFacts& facts);

// The same and more. Times are seconds.
nlohmann::ordered_json to_json(const run::RunFacts& facts);

}  // namespace dovetail::cli
