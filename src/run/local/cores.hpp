// The cores of this machine that this process may use: one for every processor of a task, as long
// as there are enough for all tasks.
#pragma once

#include <sched.h>

#include <set>
#include <vector>

#include "dovetail/time.hpp"

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

  // That many cores that no other task has; none when there are not enough for all tasks.
  std::vector<int> take(Count count) {
    std::vector<int> cores;
    if (processors_ > count_ || static_cast<Count>(free_.size()) < count) return cores;
    while (static_cast<Count>(cores.size()) < count) {
      cores.push_back(*free_.begin());
      free_.erase(free_.begin());
    }
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
