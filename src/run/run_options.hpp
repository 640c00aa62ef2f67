// How a run is to go, and what its caller is told of it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "planners/replan/cluster_world.hpp"
#include "run/dispatcher.hpp"
#include "run/run_state.hpp"

namespace dovetail::run {

// A task that another run has done already.
struct KeptTask {
  std::uint32_t task = 0;
  std::string inputs = {};  // digest of what it read
};

struct RunOptions {
  planning::PlanMaker make_plan = {};   // called from a thread of its own, one call at a time
  std::optional<Plan> first_plan = {};  // when it begins; else one is made
  Count processors = 1;
  MemoryAndGpus limit = {};      // that all tasks may take together
  bool limits_memory = false;    // a task that uses more than it needs by its file is ended
  bool sets_processors = false;  // also if the run has got others since it began
  bool renews_failures = true;   // when it goes on: what failed before is run again
  bool syncs = true;             // outputs are on disk before their task counts as done
  bool keep_going = false;       // what does not need a failed task is run all the same
  bool is_static = false;        // the plan stays unless the processors change
  double band = 0.2;             // by how much a task may be off before the rest is planned again
  double stability = planning::kStability;  // what a new plan that moves all tasks has to gain
  std::string folder = {};                  // in which the commands run

  // When it begins: these were done before, and need not be run if what they read is the same, what
  // they leave is there, and what they come after is not run again or does not change their inputs.
  std::vector<KeptTask> kept = {};

  // Called when tasks have started or ended, and every second if it is to be live; for every
  // attempt that has ended; and for every decision about the plan.
  bool is_live = false;
  std::function<void(const RunState& state, const Dispatcher& dispatcher, Time now)> progress = {};
  std::function<void(std::uint32_t task, const RunState& state)> ended = {};
  std::function<void(const Evaluation& decision)> decided = {};
  // A task that was done has to be run once more.
  std::function<void(std::uint32_t task, const std::string& why)> again = {};
  // Something does not work that the run can do without.
  std::function<void(const std::string& what)> warned = {};
  // It was asked to stop, for the first time or again.
  std::function<void(int times, const Dispatcher& dispatcher)> interrupted = {};
};

}  // namespace dovetail::run
