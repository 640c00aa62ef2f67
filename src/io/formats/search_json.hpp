// The fields "search" and "certificate" of a plan file: how a search found the plan, and its proof.
// docs/formats.md describes them.
#pragma once

#include <string>

#include "dovetail/plan_record.hpp"
#include "io/schema.hpp"

namespace dovetail::io {

// Lines of a JSON object, each ended by a comma; empty for plans that were not searched.
std::string format_search(const PlanRecord& record);

void read_search(const Record& top, PlanRecord& record);

}  // namespace dovetail::io
