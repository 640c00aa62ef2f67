// A batch scheduler: which jobs wait, which run, and which waiting job starts now.
//
//   auto scheduler = make_scheduler({.policy = "easy", .room = {.nodes = 128}});
//   scheduler->submit(7, {.nodes = 16, .length = 3'600'000});
//   for (JobSlot job : scheduler->pass(now)) start(job);
//
// Time comes from outside and never goes back. At each instant the caller first reports the jobs
// that ended, then those that arrived, then asks for one pass; a second pass at the same instant is
// fine after further reports. Jobs are named by small numbers of the caller's, which may be used
// again once the job is gone. docs/queue.md describes the policies.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "queue/policies/room.hpp"

namespace dovetail::queue {

using JobSlot = std::uint32_t;

template <typename Held>
class RunningJobs {
 public:
  void start(JobSlot job, const Held& held) {
    if (jobs_.size() <= job) jobs_.resize(job + 1);
    jobs_[job] = held;
  }
  const Held& operator[](JobSlot job) const { return jobs_[job]; }

 private:
  std::vector<Held> jobs_;  // by job; what is there for others is out of date
};

// What conservative backfilling does with its plans when a job ends.
enum class Compress {
  arrival,  // each waiting job in turn moves as early as it can, the others stay where they are
  rebuild,  // all plans are dropped and made anew in order of arrival; promises may be broken
  none      // plans stay; only new jobs use what has become free
};

struct QueueRules {
  std::string policy = "conservative";  // a name of the table
  RoomSpec room = {};
  std::vector<Reservation> reservations = {};
  Compress compress = Compress::arrival;
  std::uint32_t depth = 1;  // how many waiting jobs EASY plans ahead
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;

  // An equal scheduler that goes its own way from here.
  virtual std::unique_ptr<Scheduler> clone() const = 0;

  // The job joins the end of the queue. Needs ask.nodes to fit the machine.
  virtual void submit(JobSlot job, const Ask& ask) = 0;

  // A job that started is over, be it early, on time, or cancelled.
  virtual void end(JobSlot job, Time now) = 0;

  // A waiting job leaves the queue.
  virtual void withdraw(JobSlot job, Time now) = 0;

  // One decision. Answers the jobs that start at `now`, in order of arrival; valid until the next
  // call.
  virtual std::span<const JobSlot> pass(Time now) = 0;

  // The next moment at which a pass could start a job though nothing arrived or ended.
  virtual Time next_start() const = 0;

  // What a job submitted now could expect, if all jobs run as long as requested. Valid until the
  // next change.
  virtual const Outlook& outlook(Time now) = 0;

  // When a waiting job is to start by the present plan; nothing where the policy has no such plan.
  virtual std::optional<Time> promised(JobSlot job) const = 0;

  virtual std::size_t waiting() const = 0;
};

// One line per policy.
struct PolicyInfo {
  std::string_view name;
  std::string_view description;
  std::string_view help;  // of the option that chooses it
  std::string_view source;
  std::unique_ptr<Scheduler> (*make)(const QueueRules&);
};

std::span<const PolicyInfo> policies();

// Throws InputError for a policy that the table does not have, and for reservations that find no
// neighbouring nodes where they need them. By count they must fit, as those of a platform do.
std::unique_ptr<Scheduler> make_scheduler(const QueueRules& rules);

std::unique_ptr<Scheduler> make_easy(const QueueRules& rules);
std::unique_ptr<Scheduler> make_fcfs(const QueueRules& rules);

std::unique_ptr<Scheduler> make_conservative(const QueueRules& rules);

}  // namespace dovetail::queue
