// The jobs that run, and where each was put.
#pragma once

#include <cstdint>
#include <vector>

namespace dovetail {

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

}  // namespace dovetail
