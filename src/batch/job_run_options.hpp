// What a run on Slurm is asked to do, and whom it tells.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "planners/replan/cluster_world.hpp"
#include "queue/strategies/strategy.hpp"
#include "run/conductor.hpp"

namespace dovetail::batch {

// How jobs get to start at the times of a plan.
enum class Reserve : std::uint8_t {
  slurm,  // their nodes are reserved
  begin,  // they are not considered before
};

struct SlurmRunOptions {
  std::string strategy = "GLUME+";  // a name of strategies()
  // Instead of a strategy: a job for each task, at the time of a plan for the problem's goal.
  std::optional<Reserve> reserve = {};
  PlanMaker make_plan = {};
  StrategyOptions how = {};
  std::string partition = {};  // empty: the default one
  std::string token;           // tells our jobs from those of any other run, on any machine
  std::string program;         // dovetail, as the nodes find it
  std::string folder = {};     // in which the commands run
  bool keep_going = false;
  bool is_dry = false;  // scripts are written, and nothing is submitted
  std::vector<run::KeptTask> kept = {};

  Duration poll = 10'000;  // between two questions to Slurm
  Duration look = 500;     // between two looks at what running jobs wrote down

  // For every attempt that has ended, and for anything about jobs that people want to know.
  std::function<void(std::uint32_t task, const run::RunState& state)> ended = {};
  std::function<void(const std::string& news)> say = {};
};

}  // namespace dovetail::batch
