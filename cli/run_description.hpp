// What a run was asked to do, as its folder keeps it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"
#include "exec/run_folder.hpp"

namespace dovetail::cli {

struct RunDescription {
  std::vector<Workflow> workflows;
  std::vector<std::string> assumed = {};  // "workflow/id" of tasks whose time is a guess
  std::string folder;                     // in which commands run
  Platform platform;                      // one cluster, whose time begins with the run
  Goal goal = Goal::turnaround;
  std::optional<Time> deadline = {};
  bool keep_going = false;
  bool is_static = false;
  double band = 0.2;

  // Throws InputError when a task has nothing to run, needs more processors than there are, or
  // reads what a task writes that it does not come after.
  Problem problem() const;

  // The same for a run that began so long ago: its clock counts from there.
  RunDescription later(Time clock) const;

  void write(const exec::RunFolder& run) const;
  static RunDescription read(const exec::RunFolder& run);
};

// The same cluster seen from a clock that begins now. Throws InputError unless it is one cluster on
// which tasks can be started from here.
Platform from_now(const Platform& platform);

// The plan by which a run goes. The search for the best one ends where it would take long.
Plan plan_for_run(const Problem& problem);

}  // namespace dovetail::cli
