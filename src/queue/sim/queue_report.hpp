// What became of a workflow in a batch queue, in figures and as JSON.
//
//   QueueReport report{.site = site, .workflow = "montage", .options = options, .state = state};
//   write_file("run.json", format_queue_run(report, tasks, run));
//
// Pure. docs/queue.md describes the fields.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "queue/sim/site.hpp"
#include "queue/sim/workflow_run.hpp"

namespace dovetail::queue {

// One strategy's run.
struct QueueRun {
  std::string strategy;
  WorkflowResult result;
};

// What all runs of one question have in common.
struct QueueReport {
  const Site& site;
  const LeveledTasks& tasks;
  StrategyOptions options;
  QueueState state;
};

// How long nothing of the workflow ran: the part of its makespan that the queue is to blame for.
Duration time_without_a_job(const WorkflowResult& result);

double node_hours(Duration node_milliseconds);

// The run that ends first; of equals the one that holds the fewest node-hours, then the first.
// Needs at least one.
std::size_t best_run(std::span<const QueueRun> runs);

// A JSON document: an object; with the moments at which each task ran if asked for.
std::string format_queue_run(const QueueReport& report, const QueueRun& run, bool with_tasks);

// A list of such objects.
std::string format_queue_runs(const QueueReport& report, std::span<const QueueRun> runs,
                              bool with_tasks);

// A question about a job that is not there yet.
struct WaitQuestion {
  Count nodes = 1;
  Duration request = 0;
};

struct WaitAnswer {
  WaitQuestion question;
  Duration wait = 0;
};

std::string format_waits(const Site& site, Time at, const QueueState& state,
                         std::span<const WaitAnswer> answers);

// One strategy at several moments.
struct InstantRuns {
  std::string strategy;
  std::vector<Duration> makespans;  // in order of submission

  double mean() const;
  // Of an even number the mean of the two in the middle.
  double median() const;
  Duration worst() const;
};

// Makespans of the strategies, all submitted at the same moments.
std::string format_instants(const QueueReport& report, std::span<const Time> moments,
                            std::span<const InstantRuns> strategies);

}  // namespace dovetail::queue
