#include "queue/strategies/run_times.hpp"

#include <algorithm>
#include <cassert>
#include <functional>

namespace dovetail::queue {

namespace {

std::shared_ptr<const JobTasks> job_tasks_of(const LeveledTasks& tasks, Pick pick) {
  std::vector<Duration> times;
  for (TaskId task = 0; task < tasks.size(); ++task) times.push_back(tasks.time(task));
  return std::make_shared<JobTasks>(
      std::move(times), pick, [&](TaskId task) { return tasks.children(task); }, tasks.sharing());
}

}  // namespace

RunTimes::RunTimes(const LeveledTasks& tasks, Pick pick)
    : tasks_(tasks), job_tasks_(job_tasks_of(tasks, pick)), schedule_(job_tasks_) {}

Duration RunTimes::run(const TaskSet& set, Count nodes) {
  assert(!set.tasks.empty() && nodes >= set.least_nodes);
  if (!set.whole_levels) return schedule(set, nodes);
  std::vector<Duration>& known = known_[{set.first_level, set.last_level}];
  const auto index = static_cast<std::size_t>(nodes);
  if (known.size() <= index) known.resize(index + 1);
  if (known[index] == 0) known[index] = schedule(set, nodes);
  return known[index];
}

std::vector<Time> RunTimes::starts(const TaskSet& set, Count nodes) {
  std::vector<Time> by_task(tasks_.size());
  schedule(set, nodes, &by_task);
  std::vector<Time> starts;
  for (const TaskId task : set.tasks) starts.push_back(by_task[task]);
  return starts;
}

Duration RunTimes::schedule(const TaskSet& set, Count nodes, std::vector<Time>* starts) {
  schedule_.reset(set.tasks);
  const JobId job = schedule_.add_job(set.tasks);
  schedule_.add_nodes(job, nodes);
  struct RunningTask {
    Duration end;
    TaskId task;
  };
  std::vector<RunningTask> running;  // heap, the first to end on top; equals in any order
  if (tasks_.is_plain()) {
    running.reserve(std::min(set.tasks.size(), static_cast<std::size_t>(nodes)));
  }
  const auto ends_later = [](const RunningTask& a, const RunningTask& b) { return a.end > b.end; };
  Duration now = 0;
  for (;;) {
    while (const auto task = schedule_.start_next(job)) {
      if (starts != nullptr) (*starts)[*task] = now;
      running.push_back({now + tasks_.time(*task), *task});
      std::push_heap(running.begin(), running.end(), ends_later);
    }
    if (running.empty()) {
      assert(schedule_.is_done(job));
      return now;
    }
    now = running.front().end;
    while (!running.empty() && running.front().end == now) {
      std::pop_heap(running.begin(), running.end(), ends_later);
      schedule_.succeed(job, running.back().task);
      running.pop_back();
    }
  }
}

}  // namespace dovetail::queue
