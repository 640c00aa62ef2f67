// Other people's jobs on a machine, to be forked at any moment: replayed once, a copy for every
// question that begins there.
//
//   Background background(rules, jobs);
//   background.run_through(86'400'000);
//   Background fork = background;
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "queue/sim/machine.hpp"
#include "queue/sim/replay.hpp"
#include "queue/sim/trace.hpp"

namespace dovetail::queue {

// How long one-node jobs had to wait that started during the last day.
class RecentWaits {
 public:
  void add(Time start, Duration request, Duration wait);

  // The median over jobs with a request within a factor of two; nothing when there is none.
  std::optional<Duration> median(Time now, Duration request) const;

 private:
  struct StartedJob {
    Time start;
    Duration request;
    Duration wait;
  };
  std::deque<StartedJob> starts_;
};

// How many nodes were in use during the last day: this hour and the 23 before it.
class RecentUse {
 public:
  // From now on.
  void set(Time now, Count busy);

  // The mean over these, or since the beginning; nothing before time has passed.
  std::optional<double> mean(Time now) const;

 private:
  static constexpr std::size_t kHours = 24;

  std::optional<Time> begin_;
  Time last_ = 0;  // busy_ is as of here
  Count busy_ = 0;
  std::array<double, kHours> used_ = {};  // node-milliseconds, by hour of the day
};

class Background {
 public:
  Background(const QueueRules& rules, std::shared_ptr<const std::vector<Job>> jobs)
      : machine_(rules), jobs_(std::move(jobs)) {}

  Machine& machine() { return machine_; }
  const Machine& machine() const { return machine_; }
  const RecentWaits& recent_waits() const { return recent_; }

  // How many nodes the background's own jobs used lately.
  const RecentUse& recent_use() const { return use_; }

  // The next moment at which a job arrives, ends or starts.
  Time next();

  // The parts of one instant, in this order.
  void open(Time now) { machine_.open(now); }
  void arrive() { submit_arrivals(machine_, jobs_); }
  std::span<const JobSlot> pass();

  // All instants up to and including this one; the clock stands there afterwards.
  void run_through(Time now);

 private:
  Machine machine_;
  JobList jobs_;
  RecentWaits recent_;
  RecentUse use_;
};

// The background as it is at each of the moments, which must be in order.
std::vector<Background> forks_at(Background background, std::span<const Time> moments);

}  // namespace dovetail::queue
