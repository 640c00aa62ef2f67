// Estimates against reality while a run goes on: how long tasks are thought to take from what their
// kind took so far, and which of those that run are late. What is beyond the band is a reason to
// plan again.
//
//   Monitor monitor(problem, 0.2);
//   monitor.started(task, now, 4, length);
//   auto reasons = monitor.ended(task, real_length);
//   auto late = monitor.late(now);            // and again at monitor.next_check()
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dovetail/problem.hpp"

namespace dovetail::run {

class Monitor {
 public:
  // `band`: the share by which a task may take more or less than planned without a reason to plan.
  Monitor(const Problem& problem, double band);

  // `length`: how long it was planned to take on these processors.
  void started(std::size_t task, Time now, Count procs, Duration length);

  // It succeeded after `real`. Answers why the rest should be planned again; nothing when it took
  // about as long as planned.
  std::optional<std::string> ended(std::size_t task, Duration real);

  // It runs no longer, and says nothing about how long it takes.
  void stopped(std::size_t task) { running_.erase(task); }

  // A task that has run for longer than it should is thought to take twice as long as before.
  struct Late {
    std::size_t task = 0;
    Time end = 0;  // when it is thought to end now
    std::string reason = {};
  };
  std::vector<Late> late(Time now);
  Time next_check() const;  // when a task may be late next; kForever: none can

  // By task: how many times as long as its file says it is thought to take.
  std::vector<double> factors() const;

 private:
  struct TimedTask {
    Time began = 0;
    Duration by_file = 0;
    Duration planned = 0;  // with what was known of its kind
    Duration thought = 0;  // by now
  };

  Time limit(const TimedTask& task) const;
  double factor(std::size_t kind) const;

  const Problem& problem_;
  double band_;
  std::vector<std::size_t> kinds_;  // by task
  std::map<std::size_t, TimedTask> running_;
  std::vector<std::vector<double>> ratios_;  // by kind: real over what the file says
};

}  // namespace dovetail::run
