// How long a set of tasks takes on n nodes: list scheduling, as inside a job.
//
//   RunTimes run_times(tasks, Pick::shortest);
//   Duration length = run_times.run(set, 16);
//
// The rule is that of job_schedule.hpp. Tasks outside the set count as done. More nodes may take
// longer.
//
// Answers for whole levels are kept, which is what makes thousands of decisions about one workflow
// cheap. Not for several threads at once.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "queue/strategies/job_schedule.hpp"
#include "queue/strategies/open_tasks.hpp"

namespace dovetail::queue {

class RunTimes {
 public:
  RunTimes(const LeveledTasks& tasks, Pick pick);

  const LeveledTasks& tasks() const { return tasks_; }
  const std::shared_ptr<const JobTasks>& job_tasks() const { return job_tasks_; }

  // Needs a set that is not empty and at least as many nodes as its largest task needs.
  Duration run(const TaskSet& set, Count nodes);

  // When each task of the set starts; 0 is the start of the job.
  std::vector<Time> starts(const TaskSet& set, Count nodes);

 private:
  using Levels = std::pair<std::uint32_t, std::uint32_t>;

  Duration schedule(const TaskSet& set, Count nodes, std::vector<Time>* starts = nullptr);

  const LeveledTasks& tasks_;
  std::shared_ptr<const JobTasks> job_tasks_;
  std::map<Levels, std::vector<Duration>> known_;  // whole levels: by nodes, 0 unknown
  JobSchedule schedule_;                           // of the set that was asked for last
};

}  // namespace dovetail::queue
