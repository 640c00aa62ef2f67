#include "queue/strategies/open_tasks.hpp"

#include <algorithm>
#include <ranges>

#include "dovetail/error.hpp"

namespace dovetail::queue {

namespace {

// The task's time model on this cluster.
TaskTime time_on(const Workflow& workflow, TaskId task, const Cluster& cluster) {
  const TaskTime time = workflow.time(task);
  if (time.kind() != TimeKind::per_resource) return time.at_speed(cluster.speed);
  const auto names = workflow.resource_names();
  const auto resource =
      static_cast<std::int32_t>(std::ranges::find(names, cluster.name) - names.begin());
  if (resource == static_cast<std::int32_t>(names.size()) || !time.runs_on(resource)) {
    throw InputError("task \"" + std::string(workflow.id(task)) + "\" has no time on " +
                     cluster.name);
  }
  return time.on_resource(resource).at_speed(cluster.speed);
}

Duration node_time(const Workflow& workflow, TaskId task, const Cluster& cluster) {
  const TaskTime time = time_on(workflow, task, cluster);
  const Count processors = time.floor_allowed(cluster.cores_per_node);
  if (processors == 0) {
    throw InputError("task \"" + std::string(workflow.id(task)) + "\" needs " +
                     std::to_string(time.min_procs()) + " processors, but a node of " +
                     cluster.name + " has " + std::to_string(cluster.cores_per_node) +
                     "; a queue's jobs are made of tasks that fit a node");
  }
  return std::max(kSecond, whole_seconds(time.duration(processors)));
}

}  // namespace

LeveledTasks::LeveledTasks(Workflow workflow, const Cluster& cluster)
    : workflow_(std::move(workflow)), levels_(workflow_.levels()) {
  const auto size = static_cast<TaskId>(workflow_.size());
  times_.reserve(size);
  for (TaskId task = 0; task < size; ++task) {
    times_.push_back(node_time(workflow_, task, cluster));
    work_ += times_.back();
    if (levels_[task] >= level_sizes_.size()) level_sizes_.resize(levels_[task] + 1);
    ++level_sizes_[levels_[task]];
  }
  bottom_levels_.resize(size);
  for (const TaskId task : std::views::reverse(workflow_.topological_order())) {
    Duration longest = 0;
    for (const TaskId child : children(task)) longest = std::max(longest, bottom_levels_[child]);
    bottom_levels_[task] = times_[task] + longest;
  }
}

namespace {

Duration longest_path(const LeveledTasks& all, std::span<const TaskId> tasks) {
  std::vector<Duration> path(all.size());  // 0 outside the set
  std::vector<TaskId> by_level(tasks.begin(), tasks.end());
  std::ranges::stable_sort(by_level, {}, [&](TaskId task) { return all.level(task); });
  Duration longest = 0;
  for (const TaskId task : by_level) {
    Duration before = 0;
    for (const TaskId parent : all.parents(task)) before = std::max(before, path[parent]);
    path[task] = before + all.time(task);
    longest = std::max(longest, path[task]);
  }
  return longest;
}

}  // namespace

TaskSet make_set(const LeveledTasks& all, std::vector<TaskId> tasks) {
  TaskSet set;
  if (tasks.empty()) return set;
  std::vector<std::uint32_t> counts(all.level_count());
  for (const TaskId task : tasks) {
    ++counts[all.level(task)];
    set.work += all.time(task);
  }
  set.width = static_cast<Count>(*std::ranges::max_element(counts));
  const auto has_tasks = [](std::uint32_t count) { return count > 0; };
  set.first_level =
      static_cast<std::uint32_t>(std::ranges::find_if(counts, has_tasks) - counts.begin());
  set.last_level = all.level_count() - 1;
  while (counts[set.last_level] == 0) --set.last_level;
  set.whole_levels = true;
  for (std::uint32_t level = set.first_level; level <= set.last_level; ++level) {
    set.whole_levels = set.whole_levels && counts[level] == all.level_size(level);
  }
  set.path = longest_path(all, tasks);
  set.tasks = std::move(tasks);
  return set;
}

}  // namespace dovetail::queue
