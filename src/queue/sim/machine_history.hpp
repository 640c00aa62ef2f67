// A machine over time, in a fixed number of steps however long the replay takes: how many jobs
// wait and how many nodes are busy, on average over each step.
//
//   History history;
//   replay(jobs, rules, history);
//   for (const io::MachineMoment& at : history.moments()) draw(at.begin, at.busy);
//
// Steps are powers of two in seconds. When time outgrows them, each two become one.
#pragma once

#include <cstddef>
#include <vector>

#include "draw/machine_picture.hpp"
#include "queue/sim/replay.hpp"

namespace dovetail::queue {

class History final : public ReplaySink {
 public:
  // Needs an even number of steps. In the end at least half of them are in use, unless the replay
  // takes only seconds.
  explicit History(std::size_t steps = 1024) : sums_(steps) {}

  void ended(std::span<const JobRecord> /*jobs*/) override {}
  void state(Time now, std::size_t waiting, Count busy) override;

  Duration step() const { return step_; }

  // From the first moment to the last one that was told.
  Interval window() const { return {begin_, last_}; }
  std::vector<draw::MachineMoment> moments() const;

 private:
  struct Sum {  // over milliseconds
    double waiting = 0;
    double busy = 0;
  };

  void add(Interval window, std::size_t waiting, Count busy);
  void widen();

  std::vector<Sum> sums_;
  Duration step_ = kSecond;
  bool has_begun_ = false;
  Time begin_ = 0;
  Time last_ = 0;
  std::size_t waiting_ = 0;  // since last_
  Count busy_ = 0;
};

}  // namespace dovetail::queue
