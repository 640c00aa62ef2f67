// The cores of this machine that this process may use: one for every processor of a task, as long
// as there are enough for all tasks, and no other run has leased them.
#pragma once

#include <sched.h>

#include <set>
#include <vector>

#include "dovetail/time.hpp"
#include "run/local/machine_leases.hpp"

namespace dovetail::run {

class Cores {
 public:
  // `processors`: how many tasks may use together.
  explicit Cores(Count processors) : processors_(processors) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return;
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(static_cast<std::size_t>(core), &set)) free_.insert(core);
    }
    count_ = static_cast<Count>(free_.size());
  }

  void set_processors(Count processors) { processors_ = processors; }

  // Whether take() may answer any.
  bool has(Count count) const {
    return processors_ <= count_ && static_cast<Count>(free_.size()) >= count;
  }

  // That many cores that no other task has, in the lease; none when there are not enough.
  std::vector<int> take(Count count, TaskLease& lease) {
    std::vector<int> cores;
    if (!has(count)) return cores;
    for (auto core = free_.begin(); core != free_.end() && static_cast<Count>(cores.size()) < count;
         ++core) {
      if (lease.take_core(*core)) cores.push_back(*core);
    }
    if (static_cast<Count>(cores.size()) < count) {
      lease.give_back_cores();
      return {};
    }
    for (const int core : cores) free_.erase(core);
    return cores;
  }

  // A task that runs already has these.
  void take_these(const std::vector<int>& cores) {
    for (const int core : cores) free_.erase(core);
  }

  void give_back(const std::vector<int>& cores) { free_.insert(cores.begin(), cores.end()); }

 private:
  Count processors_;
  Count count_ = 0;
  std::set<int> free_;
};

}  // namespace dovetail::run
