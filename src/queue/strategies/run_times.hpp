// How long a set of tasks takes on n nodes: list scheduling, as inside a job.
//
//   RunTimes run_times(tasks, Pick::shortest);
//   Duration length = run_times.run(set, 16);
//
// At each moment, while a node is idle and a task is ready, the shortest ready task starts (or the
// longest); ties by file order. Tasks outside the set count as done. More nodes may take longer.
//
// Answers for whole levels are kept, which is what makes thousands of decisions about one workflow
// cheap. Not for several threads at once.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "queue/strategies/open_tasks.hpp"

namespace dovetail {

// Which ready task goes first.
enum class Pick { shortest, longest };

// Position of each task in the order in which a job prefers them.
std::vector<std::uint32_t> pick_order(const LeveledTasks& tasks, Pick pick);

class RunTimes {
 public:
  RunTimes(const LeveledTasks& tasks, Pick pick);

  const LeveledTasks& tasks() const { return tasks_; }
  Pick pick() const { return pick_; }

  // Needs a set that is not empty and nodes >= 1.
  Duration run(const TaskSet& set, Count nodes);

 private:
  using Levels = std::pair<std::uint32_t, std::uint32_t>;

  Duration schedule(const TaskSet& set, Count nodes);
  void count_parents(const TaskSet& set);

  const LeveledTasks& tasks_;
  Pick pick_;
  std::vector<std::uint32_t> order_;               // by task
  std::vector<TaskId> task_at_;                    // by position in that order
  std::map<Levels, std::vector<Duration>> known_;  // whole levels: by nodes, 0 unknown

  // Scratch, by task.
  std::vector<std::uint32_t> waits_for_;
  std::vector<char> in_set_;
};

}  // namespace dovetail
