// Cancelling a run on which nobody works.
#pragma once

#include <string>

#include "dovetail/problem.hpp"
#include "run/run_folder.hpp"

namespace dovetail::run {

// Ends what still runs, and writes down that the run is cancelled. `started_in`: where the run was
// started. Needs the lock on the run.
void cancel(const RunFolder& folder, const Problem& problem, const std::string& started_in);

}  // namespace dovetail::run
