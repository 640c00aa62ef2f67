// The script of a pilot job: readable, and fit to be submitted by hand.
#pragma once

#include <string>

#include "batch/pilot_file.hpp"

namespace dovetail::batch {

// Where a job is submitted to.
struct JobPlace {
  std::string partition = {};          // empty: the default one
  std::string reservation = {};        // empty: none
  std::optional<WallTime> begin = {};  // not before
};

struct JobFiles {
  std::string program;  // dovetail
  std::string order;
  std::string output;
};

// For a shell, whatever is in it.
// For #SBATCH --output, where Slurm puts numbers for "%j" and the like, but not in names with a
// backslash.
std::string output_pattern(const std::string& file);

std::string shell_quote(const std::string& text);

std::string job_script(const PilotOrder& order, const JobPlace& place, const JobFiles& files);

}  // namespace dovetail::batch
