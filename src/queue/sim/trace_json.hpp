// A list of jobs as JSON, an equal input beside SWF.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "queue/sim/trace.hpp"

namespace dovetail {

struct JsonTrace {
  Count nodes = 0;
  std::vector<Job> jobs;
  Dropped dropped;
};

// {"nodes": N, "jobs": [{"id", "submit", "run", "req", "nodes"}, ...]}; "user" is optional, and
// "req" as long as "run" when it is missing. Throws InputError with the line.
JsonTrace parse_json_trace(std::string_view text, const std::string& file, const TraceRules& rules);

}  // namespace dovetail
