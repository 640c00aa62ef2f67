// The script of a job: readable, and fit to be submitted by hand.
#pragma once

#include <string>
#include <vector>

#include "batch/pilot/pilot_file.hpp"
#include "batch/system.hpp"

namespace dovetail::batch {

struct JobFiles {
  std::string program;  // dovetail
  std::string order;
  std::string output;
};

// For a shell, whatever is in it.
std::string shell_quote(const std::string& text);

// As one would type it.
std::string command_line(const std::vector<std::string>& words);

std::string job_script(const BatchSystem& system, const PilotOrder& order, const JobPlace& place,
                       const JobFiles& files);

}  // namespace dovetail::batch
