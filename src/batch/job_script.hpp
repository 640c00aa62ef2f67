// The files of a job: its order, and a script that people can read and submit by hand.
#pragma once

#include <string>
#include <vector>

#include "batch/pilot/pilot_file.hpp"
#include "batch/system.hpp"

namespace dovetail::batch {

// The text as one word of a shell.
std::string shell_quote(const std::string& text);

// As people would type it.
std::string command_line(const std::vector<std::string>& words);

struct JobFiles {
  std::string program;  // dovetail, as the nodes find it
  std::string order;
  std::string output;
};
std::string job_script(const BatchSystem& system, const PilotOrder& order, const JobPlace& place,
                       const JobFiles& files);

// Writes the order and the script into the run's folder. Throws ExecutionError.
void write_job_files(const run::RunFolder& folder, const BatchSystem& system,
                     const PilotOrder& order, const JobPlace& place, const std::string& program);

}  // namespace dovetail::batch
