// What a run was asked to do, as its folder keeps it.
#pragma once

#include <string>
#include <vector>

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"
#include "exec/run_folder.hpp"

namespace dovetail::cli {

struct RunDescription {
  std::vector<Workflow> workflows;
  std::string folder;  // in which commands run
  Count processors = 1;
  bool keep_going = false;

  // Throws InputError when a task has nothing to run, or needs more processors than there are.
  Problem problem() const;

  void write(const exec::RunFolder& run) const;
  static RunDescription read(const exec::RunFolder& run);
};

// The plan by which a run goes.
Plan plan_for_run(const Problem& problem);

}  // namespace dovetail::cli
