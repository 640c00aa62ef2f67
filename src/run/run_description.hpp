// What a run was asked to do, as its folder keeps it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dovetail/plan.hpp"
#include "dovetail/problem.hpp"
#include "planners/replan/event_loop.hpp"
#include "run/run_folder.hpp"
#include "run/run_options.hpp"

namespace dovetail::run {

// How a run on a batch system goes.
struct BatchDescription {
  std::string system = {};     // its name, which is the key in run.json
  std::string partition = {};  // empty: the default one
  std::string strategy = {};
  std::string reserve = {};  // at the times of a plan instead: the name of the system, which
                             // reserves nodes, or "begin"
  Count max_jobs = 0;        // at once; 0: as many as it likes
  std::string token = {};    // in the names of its jobs, unlike that of any other run

  // On which tasks of a run on that cluster of the system are measured.
  static std::string machine_of(const std::string& system, const Platform& platform) {
    return system + ":" + platform.clusters().front().name;
  }
};

struct RunDescription {
  std::vector<Workflow> workflows;
  std::vector<std::string> assumed = {};  // "workflow/id" of tasks whose time is a guess
  std::string folder;                     // in which commands run
  Platform platform;                      // one cluster, whose time begins with the run
  Goal goal = Goal::turnaround;
  std::optional<Time> deadline = {};
  bool syncs = true;
  bool keep_going = false;
  bool is_static = false;
  double band = 0.2;
  double stability = planning::kStability;
  MemoryAndGpus limit = {};  // what its tasks may take of this machine together
  bool limits_memory = false;
  std::optional<BatchDescription> batch = {};  // nothing: it runs on this machine

  // Throws InputError when a task has nothing to run, reads what a task writes that it does not
  // come after, comes after nothing and reads what is not there, or needs more memory or GPUs than
  // the run may use.
  void check() const;

  // Throws InputError when a task needs more processors than there are.
  Problem problem() const;

  // On which its tasks are measured: this one, or the nodes of a partition.
  std::string machine() const;

  // The same for a run that began so long ago: its clock counts from there.
  RunDescription later(Time clock) const;

  // How the conductor of processes goes about it; the caller adds what it wants to be told.
  RunOptions options() const;

  void write(const RunFolder& run) const;
  static RunDescription read(const RunFolder& run);
};

// A run that no other process may work on.
struct OwnRun {
  RunFolder folder;
  RunLock lock;
};

// Makes the folder of a new run, with its description, below a state folder. Throws ExecutionError.
OwnRun begin_run(const std::string& state, const RunDescription& description);

// The same cluster seen from a clock that begins now. Throws InputError unless it is one cluster on
// which tasks can be started from here.
Platform from_now(const Platform& platform);

// The same workflows: those that become ready later do so by that clock.
std::vector<Workflow> from_now(std::span<const Workflow> workflows, Time now);

// The plan that a run follows. The search for the best one ends where it would take long.
Plan plan_for_run(const Problem& problem);

}  // namespace dovetail::run
