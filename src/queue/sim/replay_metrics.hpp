// How a machine did in a replay, in a few numbers.
//
//   ReplayMetrics metrics(nodes);
//   replay(jobs, rules, metrics);
//   ReplaySummary summary = metrics.summary();
//
// Jobs are counted as they end and then forgotten; of their waits it keeps how often each occurred.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dovetail/time.hpp"
#include "queue/sim/replay.hpp"

namespace dovetail::queue {

// How often each value occurred, for exact quantiles of long streams of values that repeat. Needs
// memory for the different values, not for all of them: waits are whole seconds, and many jobs do
// not wait at all.
class Tally {
 public:
  void add(Duration value);

  std::uint64_t count() const { return count_; }

  // The smallest value that at least this share of all values does not exceed (nearest rank). Needs
  // 0 < share <= 1; 0 when there are no values.
  Duration quantile(double share);

  // The middle value, or the mean of the two in the middle; 0 when there are no values.
  double median();

  Duration largest() { return quantile(1); }

 private:
  struct TallyEntry {
    Duration value;
    std::uint64_t times;
  };

  void sort_in();
  // The value of that rank, counted from 1.
  Duration at(std::uint64_t rank);

  static constexpr std::size_t kRecent = 1U << 14U;
  std::vector<TallyEntry> entries_;  // by value, each once
  std::vector<Duration> recent_;     // not yet among them
  std::uint64_t count_ = 0;
};

struct ReplaySummary {
  std::size_t jobs = 0;
  double mean_wait = 0;  // waits in seconds
  double median_wait = 0;
  double wait_95 = 0;  // 95 % of the jobs wait no longer
  double longest_wait = 0;
  double mean_bounded_slowdown = 0;
  double utilisation = 0;        // of all node-seconds from first_submit to last_end
  double mean_queue_length = 0;  // waiting jobs, over that time
  std::size_t longest_queue = 0;
  std::size_t killed = 0;  // when their request was used up
  Time first_submit = 0;
  Time last_end = 0;

  Duration makespan() const { return last_end - first_submit; }
};

// Time in the system over run time, where runs shorter than 10 s count as 10 s; at least 1.
double bounded_slowdown(const JobRecord& job);

class ReplayMetrics final : public ReplaySink {
 public:
  explicit ReplayMetrics(Count nodes) : nodes_(nodes) {}

  void ended(std::span<const JobRecord> jobs) override;
  void state(Time now, std::size_t waiting, Count busy) override;

  // Of the jobs that ended so far.
  ReplaySummary summary();

 private:
  Count nodes_;
  Tally waits_;
  double total_wait_ = 0;  // seconds
  double total_slowdown_ = 0;
  double node_seconds_ = 0;
  std::size_t longest_queue_ = 0;
  std::size_t killed_ = 0;
  Time first_submit_ = kForever;
  Time last_end_ = kBeginning;
};

}  // namespace dovetail::queue
