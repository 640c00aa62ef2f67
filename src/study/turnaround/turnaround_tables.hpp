// Turns sums per scenario into the tables of the turn-around study.
#pragma once

#include <vector>

#include "study/turnaround/turnaround_study.hpp"

namespace dovetail {

// Needs the logs, applications and scenarios of the result. One table per log (when there are
// several), one for all scenarios, one for the default application (when it was run).
std::vector<BoundTable> bound_tables(const TurnaroundStudyResult& result);

// One per bound, and one for all bounds.
std::vector<BottomLevelTable> bottom_level_tables(const TurnaroundStudyResult& result);

}  // namespace dovetail
