#include "queue/sim/replay_metrics.hpp"

#include <algorithm>
#include <cmath>

namespace dovetail::queue {

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

void Tally::add(Duration value) {
  recent_.push_back(value);
  ++count_;
  // So rarely that all sorting in together costs no more than a few steps a value.
  if (recent_.size() >= std::max(kRecent, entries_.size())) sort_in();
}

void Tally::sort_in() {
  std::ranges::sort(recent_);
  std::vector<TallyEntry> merged;
  merged.reserve(entries_.size());
  const auto put = [&merged](Duration value, std::uint64_t times) {
    if (!merged.empty() && merged.back().value == value) {
      merged.back().times += times;
    } else {
      merged.push_back({value, times});
    }
  };
  auto old = entries_.begin();
  for (const Duration value : recent_) {
    for (; old != entries_.end() && old->value <= value; ++old) put(old->value, old->times);
    put(value, 1);
  }
  for (; old != entries_.end(); ++old) put(old->value, old->times);
  entries_ = std::move(merged);
  recent_.clear();
}

Duration Tally::at(std::uint64_t rank) {
  sort_in();
  std::uint64_t below = 0;
  for (const TallyEntry& entry : entries_) {
    below += entry.times;
    if (below >= rank) return entry.value;
  }
  return 0;
}

Duration Tally::quantile(double share) {
  const double rank = std::ceil(share * static_cast<double>(count_));
  return at(std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rank), 1,
                                      std::max<std::uint64_t>(count_, 1)));
}

double Tally::median() {
  const Duration lower = at((count_ + 1) / 2);
  const Duration upper = at(count_ / 2 + 1);
  return (static_cast<double>(lower) + static_cast<double>(upper)) / 2;
}

}  // namespace dovetail::queue
