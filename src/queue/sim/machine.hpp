// A machine under a batch scheduler, in simulated time: jobs in, starts and ends out.
//
//   Machine machine({.room = {.nodes = 128}});
//   machine.open(t);               // jobs that are due end
//   machine.submit(job);           // arrivals at t
//   for (JobSlot job : machine.pass()) ...
//
// Every instant goes in this order: open, submissions (and the caller's own ends), pass; further
// submissions and passes may follow at the same instant. A copy is a fork of the simulation.
#pragma once

#include <memory>
#include <queue>
#include <span>
#include <vector>

#include "queue/policies/scheduler.hpp"

namespace dovetail::queue {

// A job that is over.
struct JobRecord {
  std::int64_t id = 0;
  std::uint64_t arrival = 0;  // how many jobs were submitted before
  Time submit = 0;
  Time start = 0;
  Time end = 0;
  Ask ask;
  bool killed = false;  // at its request
  friend bool operator==(const JobRecord&, const JobRecord&) = default;
};

class Machine {
 public:
  explicit Machine(const QueueRules& rules);
  Machine(const Machine& other);
  Machine& operator=(const Machine& other);
  Machine(Machine&&) noexcept = default;
  Machine& operator=(Machine&&) noexcept = default;
  ~Machine() = default;

  Time now() const { return now_; }
  Count nodes() const { return nodes_; }

  // The next moment at which something happens by itself; kForever when nothing does.
  Time next() const;

  // Moves the clock and ends the jobs that are due. Valid until the next call.
  std::span<const JobRecord> open(Time now);

  // Needs the job to fit the machine. Its submit time is now.
  JobSlot submit(const Job& job);

  // A job that ends when the caller calls end(), which must be by the time its request is used up.
  JobSlot submit_open_ended(const Ask& ask);

  // Ends a running job of the caller's now, or takes a waiting one out of the queue.
  void end(JobSlot job);

  // The jobs that start now, in order of arrival; valid until the next call.
  std::span<const JobSlot> pass();

  // Of a job in the system.
  const Job& job(JobSlot slot) const { return active_[slot].job; }
  Time start_of(JobSlot slot) const { return active_[slot].start; }
  bool is_running(JobSlot slot) const { return active_[slot].start >= 0; }

  // What a newcomer can expect; valid until the next change.
  const Outlook& outlook() { return scheduler_->outlook(now_); }

  const Scheduler& scheduler() const { return *scheduler_; }
  std::size_t waiting() const { return scheduler_->waiting(); }
  std::size_t running() const { return active_.size() - unused_.size() - waiting(); }
  Count busy() const { return busy_; }
  Count busy_open_ended() const { return busy_open_ended_; }  // of these, the caller's own jobs

 private:
  struct Active {
    Job job;
    std::uint64_t arrival = 0;
    Time start = -1;  // -1: waiting
    bool ends_itself = true;
  };
  struct EndingJob {
    Time time;
    std::uint64_t arrival;  // breaks ties
    JobSlot job;
    friend bool operator>(const EndingJob& a, const EndingJob& b) {
      return a.time != b.time ? a.time > b.time : a.arrival > b.arrival;
    }
  };

  JobSlot add(const Active& active);
  void remove(JobSlot job);
  void use(const Active& active, Count nodes);

  std::unique_ptr<Scheduler> scheduler_;
  Count nodes_;
  Time now_ = 0;
  Count busy_ = 0;
  Count busy_open_ended_ = 0;
  std::uint64_t arrivals_ = 0;
  std::vector<Active> active_;   // by slot
  std::vector<JobSlot> unused_;  // slots to use again
  std::priority_queue<EndingJob, std::vector<EndingJob>, std::greater<>> ends_;
  std::vector<JobRecord> ended_;
};

}  // namespace dovetail::queue
