// How a machine did in a replay, in a few numbers.
//
//   ReplayMetrics metrics(nodes);
//   replay(jobs, rules, metrics);
//   ReplaySummary summary = metrics.summary();
//
// Jobs are counted as they end and then forgotten; of their waits it keeps how often each occurred.
#pragma once

#include "queue/sim/replay.hpp"
#include "queue/sim/tally.hpp"

namespace dovetail {

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

}  // namespace dovetail
