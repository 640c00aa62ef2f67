// What a run on a batch system is to do, and how its caller hears of it.
#pragma once

#include <poll.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "batch/job_records.hpp"
#include "planners/replan/cluster_world.hpp"
#include "queue/strategies/strategy.hpp"
#include "run/clock.hpp"
#include "run/conductor.hpp"

namespace dovetail::batch {

// How jobs come to start at the times of a plan.
enum class Reserve : std::uint8_t {
  nodes,  // their nodes are reserved
  begin,  // the system does not consider them earlier
};

// How run.json and --reserve name the latter; the name of the system stands for the former.
inline constexpr const char* kReserveBegin = "begin";

// Waits until one of the files is readable, at most for that long.
using FileWait = std::function<void(std::span<pollfd> files, Duration longest)>;
void wait_for_files(std::span<pollfd> files, Duration longest);

// The strategy of a run that names none.
inline constexpr const char* kDefaultStrategy = "GLUME+";

struct JobRunOptions {
  std::string strategy = kDefaultStrategy;  // a name of strategies()
  // Instead of a strategy: a job for each task, at the time of a plan for the problem's goal.
  std::optional<Reserve> reserve = {};
  planning::PlanMaker make_plan = {};
  queue::StrategyOptions how = {};
  std::string partition = {};   // empty: the default one
  std::string token;            // tells our jobs from those of any other run, on any machine
  std::string program;          // dovetail, as the nodes find it
  std::string folder = {};      // in which the commands run
  bool renews_failures = true;  // when it goes on: what failed before is run again
  bool syncs = true;            // outputs are on disk before their task counts as done
  bool keep_going = false;
  bool is_dry = false;  // scripts are written, and nothing is submitted
  std::vector<run::KeptTask> kept = {};

  // The cluster as the caller has just seen it, and has decided by.
  std::optional<ClusterPicture> picture = {};

  Duration poll = 10'000;  // between two questions to the batch system
  Duration look = 500;     // between two looks at what running jobs wrote down

  // Called for every attempt that has ended, and with news about jobs for people.
  std::function<void(std::uint32_t task, const run::RunState& state)> ended = {};
  std::function<void(const std::string& news)> say = {};

  run::ClockSource clock = {};
  FileWait wait = wait_for_files;
};

}  // namespace dovetail::batch
