// A workflow on a simulated batch queue: a strategy cuts it into jobs, other people's jobs compete
// with them, and tasks run inside the jobs that were granted.
//
//   WorkflowResult result = run_workflow(background, "GLUME", run_times, options);
//
// The workflow begins where the clock of the background stands.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "queue/sim/background.hpp"
#include "queue/strategies/strategy.hpp"

namespace dovetail::queue {

// What became of one job of the workflow.
struct PilotRecord {
  std::vector<TaskId> tasks;  // as submitted
  std::uint32_t first_level = 0;
  std::uint32_t last_level = 0;
  Count nodes = 1;
  Duration request = 0;
  Time submit = 0;
  std::optional<Time> start = {};  // nothing: cancelled while it waited
  Time end = 0;
  PilotOutcome outcome = PilotOutcome::done;
};

struct WorkflowResult {
  Time submitted = 0;
  Duration makespan = 0;
  std::vector<PilotRecord> jobs = {};  // in order of submission
  std::vector<Interval> tasks = {};    // when each task ran, the last time for good
  // Beside them, where: positions among the nodes of the job; empty when each task had a node.
  std::vector<std::vector<NodeId>> task_nodes = {};
  bool single_mode = false;  // tasks were submitted one by one in the end
  Duration used = 0;         // node-milliseconds that the tasks had for themselves
  Duration held = 0;         // node-milliseconds of the workflow's jobs

  double utilisation() const {
    return held == 0 ? 1 : static_cast<double>(used) / static_cast<double>(held);
  }
  Duration total_wait() const;
  std::size_t count(PilotOutcome outcome) const;
};

// Needs a background whose clock was run through to the moment of submission. The strategy's own
// user has the given number, for caps of the scheduler.
WorkflowResult run_workflow(Background background, const StrategyInfo& strategy,
                            RunTimes& run_times, const StrategyOptions& options,
                            std::int64_t user = -1);

}  // namespace dovetail::queue
