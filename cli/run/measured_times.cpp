#include "cli/run/measured_times.hpp"

#include <fmt/format.h>

#include <set>

#include "dovetail/error.hpp"

namespace dovetail::cli {

namespace {

void warn(const ExecutionError& error) { fmt::print(stderr, "warning: {}\n", error.what()); }

// Nothing when it cannot be read: then nothing is known.
std::optional<run::PerformanceHistory> open_history() {
  try {
    return run::PerformanceHistory(run::PerformanceHistory::default_path());
  } catch (const ExecutionError& error) {
    warn(error);
    return std::nullopt;
  }
}

run::Measurement measurement_of(const run::PastAttempt& attempt, const Problem& problem) {
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
          .time = attempt.time,
          .estimate = is_allowed ? to_seconds(time.duration(attempt.processors)) : 0};
}

}  // namespace

MeasuredTimes::MeasuredTimes(Unknown unknown, const std::string& machine)
    : unknown_(unknown),
      history_(open_history()),
      estimator_(history_ ? &*history_ : nullptr, machine) {}

std::optional<TimeSpec> MeasuredTimes::operator()(const UntimedTask& task) {
  const TimeSpec time = estimator_(task);
  const run::Estimate* estimate = estimator_.find(task.workflow, task.id);
  if (unknown_ == Unknown::is_error && estimate->was_assumed) return std::nullopt;
  return time;
}

void MeasuredTimes::print_notes() const {
  for (const std::string& note : estimator_.notes()) fmt::print(stderr, "{}\n", note);
}

std::vector<std::string> MeasuredTimes::assumed() const {
  std::vector<std::string> names;
  for (const run::Estimate& estimate : estimator_.estimates()) {
    if (!estimate.was_assumed) continue;
    names.push_back(estimate.task.workflow + "/" + estimate.task.id);
  }
  return names;
}

void add_to_history(const run::RunFolder& folder, const RunDescription& description,
                    const Problem& problem, const run::RunState& state) {
  try {
    const std::set<std::string> assumed(description.assumed.begin(), description.assumed.end());
    std::vector<run::Measurement> measurements;
    for (const run::PastAttempt& attempt : state.attempts()) {
      if (!attempt.succeeded || attempt.seconds <= 0) continue;
      measurements.push_back(measurement_of(attempt, problem));
      run::Measurement& added = measurements.back();
      added.run = folder.id();
      added.machine = description.machine();
      added.was_assumed = assumed.contains(added.workflow + "/" + added.task);
    }
    run::PerformanceHistory(run::PerformanceHistory::default_path()).add(measurements);
  } catch (const ExecutionError& error) {
    warn(error);
  }
}

}  // namespace dovetail::cli
