#include "queue/sim/replay_metrics.hpp"

#include <algorithm>

namespace dovetail {

namespace {

constexpr Duration kSlowdownBound = 10 * kSecond;

}  // namespace

double bounded_slowdown(const JobRecord& job) {
  const Duration run = std::max(job.end - job.start, kSlowdownBound);
  return std::max(1.0, static_cast<double>(job.end - job.submit) / static_cast<double>(run));
}

void ReplayMetrics::ended(std::span<const JobRecord> jobs) {
  for (const JobRecord& job : jobs) {
    waits_.add(job.start - job.submit);
    total_wait_ += to_seconds(job.start - job.submit);
    total_slowdown_ += bounded_slowdown(job);
    node_seconds_ += to_seconds(job.end - job.start) * job.ask.nodes;
    killed_ += job.killed ? 1 : 0;
    first_submit_ = std::min(first_submit_, job.submit);
    last_end_ = std::max(last_end_, job.end);
  }
}

void ReplayMetrics::state(Time /*now*/, std::size_t waiting, Count /*busy*/) {
  longest_queue_ = std::max(longest_queue_, waiting);
}

ReplaySummary ReplayMetrics::summary() {
  ReplaySummary summary;
  if (waits_.count() == 0) return summary;
  const auto jobs = static_cast<double>(waits_.count());
  const double span = to_seconds(last_end_ - first_submit_);
  summary.jobs = waits_.count();
  summary.mean_wait = total_wait_ / jobs;
  summary.median_wait = waits_.median() / static_cast<double>(kSecond);
  summary.wait_95 = to_seconds(waits_.quantile(0.95));
  summary.longest_wait = to_seconds(waits_.largest());
  summary.mean_bounded_slowdown = total_slowdown_ / jobs;
  summary.utilisation = node_seconds_ / (span * nodes_);
  // Every job is in the queue for as long as it waits (Little's law).
  summary.mean_queue_length = total_wait_ / span;
  summary.longest_queue = longest_queue_;
  summary.killed = killed_;
  summary.first_submit = first_submit_;
  summary.last_end = last_end_;
  return summary;
}

}  // namespace dovetail
