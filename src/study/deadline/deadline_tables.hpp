// Turns sums per scenario into the tables of the deadline study.
#pragma once

#include <span>
#include <vector>

#include "study/deadline/deadline_study.hpp"

namespace dovetail {

// One table per log (when there are several), one for all scenarios, one for the default
// application (when it was run).
std::vector<PlainTable> plain_tables(const StudyHead& head,
                                     std::span<const DeadlineScenario> scenarios);
std::vector<HybridTable> hybrid_tables(const StudyHead& head,
                                       std::span<const DeadlineScenario> scenarios);

// Over all scenarios.
ReadingTable reading_table(DeadlineReading reading, const StudyHead& head,
                           std::span<const DeadlineScenario> scenarios);

// Checks what a sound campaign shows on the default application, for any log. Needs the tables;
// empty when the application was not run.
std::vector<Finding> findings(const DeadlineStudyResult& result);

}  // namespace dovetail
