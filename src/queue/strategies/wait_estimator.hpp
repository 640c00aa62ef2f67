// How long would a job wait? The one question that strategies ask of a batch queue.
//
// Two answers: a scheduler that is being simulated, and a snapshot of a queue, real or not, that
// becomes a calendar of its own.
//
//   QueueSnapshot queue({.nodes = 128}, running, waiting, now);
//   Duration wait = queue.wait(16, 3'600'000);
#pragma once

#include <span>

#include "queue/policies/room.hpp"

namespace dovetail::queue {

class WaitEstimator {
 public:
  virtual ~WaitEstimator() = default;

  // From now to the start of a job that is submitted now, if all jobs run as long as requested.
  // Needs 1 <= nodes <= nodes().
  virtual Duration wait(Count nodes, Duration request) const = 0;

  virtual Count nodes() const = 0;

  // Whose jobs these are, where the scheduler caps the jobs of a user; -1 otherwise.
  virtual std::int64_t user() const { return -1; }

  // Free places over time, to try several jobs on a copy.
  virtual const Outlook& outlook() const = 0;
};

// The plan of a scheduler, or any other outlook, at one moment. Views it.
class OutlookEstimator final : public WaitEstimator {
 public:
  // A cap of the scheduler applies to jobs of a known user.
  OutlookEstimator(const Outlook& outlook, Time now, std::int64_t user = -1)
      : outlook_(outlook), now_(now), user_(user) {}

  Duration wait(Count nodes, Duration request) const override {
    return outlook_.earliest_start({nodes, request, user_}, now_) - now_;
  }
  Count nodes() const override { return outlook_.room.nodes(); }
  std::int64_t user() const override { return user_; }
  const Outlook& outlook() const override { return outlook_; }

 private:
  const Outlook& outlook_;
  Time now_;
  std::int64_t user_;
};

// What a batch system tells about its queue.
struct RunningJob {
  Count nodes = 1;
  Time end = 0;  // at the latest
};

// Running jobs hold their nodes to their limit; waiting ones, the most urgent first, each take the
// earliest place that is left.
class QueueSnapshot final : public WaitEstimator {
 public:
  struct Options {
    std::span<const Reservation> reservations = {};
    bool in_turn = false;  // no job starts before the one in front
  };

  // Throws InputError when the running jobs and reservations need more nodes than there are, or a
  // waiting job does.
  QueueSnapshot(const RoomSpec& machine, std::span<const RunningJob> running,
                std::span<const Ask> waiting, Time now, const Options& options);
  QueueSnapshot(const RoomSpec& machine, std::span<const RunningJob> running,
                std::span<const Ask> waiting, Time now)
      : QueueSnapshot(machine, running, waiting, now, Options{}) {}

  Duration wait(Count nodes, Duration request) const override {
    return outlook_.earliest_start({.nodes = nodes, .length = request}, now_) - now_;
  }
  Count nodes() const override { return outlook_.room.nodes(); }
  const Outlook& outlook() const override { return outlook_; }

 private:
  Time now_;
  Outlook outlook_;
};

}  // namespace dovetail::queue
