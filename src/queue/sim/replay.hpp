// A log's jobs under a policy, from the first submission to the last end.
//
//   replay(*trace.jobs(), rules, sink);
//
// Only the jobs in the system are in memory; what becomes of results is the sink's business.
#pragma once

#include "queue/sim/machine.hpp"
#include "queue/sim/trace.hpp"

namespace dovetail::queue {

// What a replay tells, in order of time.
class ReplaySink {
 public:
  virtual ~ReplaySink() = default;
  // The jobs that ended at an instant; at most once an instant.
  virtual void ended(std::span<const JobRecord> jobs) = 0;
  // How many jobs wait and how many nodes are busy from this moment on.
  virtual void state(Time /*now*/, std::size_t /*waiting*/, Count /*busy*/) {}
};

// Tells several sinks the same.
class SinkGroup final : public ReplaySink {
 public:
  // The sink must outlive the group.
  void add(ReplaySink& sink) { sinks_.push_back(&sink); }

  void ended(std::span<const JobRecord> jobs) override {
    for (ReplaySink* sink : sinks_) sink->ended(jobs);
  }
  void state(Time now, std::size_t waiting, Count busy) override {
    for (ReplaySink* sink : sinks_) sink->state(now, waiting, busy);
  }

 private:
  std::vector<ReplaySink*> sinks_;
};

// Keeps the records of all jobs.
class JobCollector final : public ReplaySink {
 public:
  void ended(std::span<const JobRecord> jobs) override {
    records_.insert(records_.end(), jobs.begin(), jobs.end());
  }

  // In order of arrival; the collector is empty afterwards.
  std::vector<JobRecord> take();

 private:
  std::vector<JobRecord> records_;
};

void replay(JobSource& jobs, const QueueRules& rules, ReplaySink& sink);

// The records of all jobs, in order of arrival.
std::vector<JobRecord> replay_all(JobSource& jobs, const QueueRules& rules);

// What all drivers of a machine share: submits the jobs that arrive now.
inline void submit_arrivals(Machine& machine, JobSource& jobs) {
  for (; jobs.peek() != nullptr && jobs.peek()->submit <= machine.now(); jobs.pop()) {
    machine.submit(*jobs.peek());
  }
}

}  // namespace dovetail::queue
