#include "run/history/measured_times.hpp"

#include <set>

#include "dovetail/error.hpp"

namespace dovetail::run {

namespace {

std::optional<PerformanceHistory> open_history(const Warn& warn) {
  try {
    return PerformanceHistory(PerformanceHistory::default_path());
  } catch (const ExecutionError& error) {
    warn(error.what());
    return std::nullopt;
  }
}

Measurement measurement_of(const PastAttempt& attempt, const Problem& problem) {
  const TaskRef ref = problem.task_at(attempt.task);
  const Workflow& workflow = problem.workflows()[ref.workflow];
  const TaskTime time = problem.time(ref.workflow, ref.task, 0);
  // The file may have been edited since.
  const bool is_allowed = time.allows(attempt.processors);
  return {.workflow = workflow.name(),
          .kind = std::string(workflow.kind(ref.task)),
          .task = std::string(workflow.id(ref.task)),
          .processors = attempt.processors,
          .seconds = attempt.seconds,
          .cpu_seconds = attempt.cpu_seconds,
          .peak_kib = attempt.peak_kib,
          .peak_memory = attempt.peak_memory,
          .time = attempt.time,
          .estimate = is_allowed ? to_seconds(time.duration(attempt.processors)) : 0};
}

}  // namespace

MeasuredTimes::MeasuredTimes(Unknown unknown, const std::string& machine, const Warn& warn)
    : unknown_(unknown),
      history_(open_history(warn)),
      estimator_(history_ ? &*history_ : nullptr, machine) {}

std::optional<TimeSpec> MeasuredTimes::operator()(const UntimedTask& task) {
  const TimeSpec time = estimator_(task);
  const Estimate* estimate = estimator_.find(task.workflow, task.id);
  if (unknown_ == Unknown::is_error && estimate->was_assumed) return std::nullopt;
  return time;
}

std::vector<std::string> MeasuredTimes::assumed() const {
  std::vector<std::string> names;
  for (const Estimate& estimate : estimator_.estimates()) {
    if (!estimate.was_assumed) continue;
    names.push_back(estimate.task.workflow + "/" + estimate.task.id);
  }
  return names;
}

void add_to_history(const RunFolder& folder, const RunDescription& description,
                    const Problem& problem, const RunState& state, const Warn& warn) {
  try {
    const std::set<std::string> assumed(description.assumed.begin(), description.assumed.end());
    std::vector<Measurement> measurements;
    for (const PastAttempt& attempt : state.attempts()) {
      if (!attempt.succeeded || attempt.seconds <= 0) continue;
      measurements.push_back(measurement_of(attempt, problem));
      Measurement& added = measurements.back();
      added.run = folder.id();
      added.machine = description.machine();
      added.was_assumed = assumed.contains(added.workflow + "/" + added.task);
    }
    PerformanceHistory(PerformanceHistory::default_path()).add(measurements);
  } catch (const ExecutionError& error) {
    warn(error.what());
  }
}

}  // namespace dovetail::run
