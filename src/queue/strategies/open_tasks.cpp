#include "queue/strategies/open_tasks.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

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

TaskShare share_on(const Workflow& workflow, TaskId task, const TaskTime& time,
                   const NodeType& node, const std::string& where) {
  try {
    return share_of(workflow.needs(task), time, node);
  } catch (const InputError& error) {
    throw InputError(where + ": task \"" + std::string(workflow.id(task)) + "\" " + error.what());
  }
}

__extension__ using Wide = __int128;  // sums of products

// What tasks take of nodes for how long, in everything that they may be short of.
class NodeWork {
 public:
  explicit NodeWork(const LeveledTasks& all) : all_(all) {}

  void add(TaskId task) {
    const Duration time = all_.time(task);
    if (all_.is_plain()) {
      plain_ += time;
      return;
    }
    const NodeDemand& demand = all_.sharing().demand(task);
    const NodeType& node = all_.sharing().node;
    const Wide node_time = Wide{time} * demand.nodes;
    cores_ += node_time * (demand.is_whole ? node.cores : demand.cores);
    memory_ += node_time * (demand.is_whole ? node.memory : demand.memory);
    gpus_ += node_time * (demand.is_whole ? node.gpus : demand.gpus);
  }

  Duration in_nodes() const {
    const NodeType& node = all_.sharing().node;
    Wide most = plain_;
    if (!all_.is_plain()) most = std::max(most, cores_ / node.cores);
    if (node.memory > 0) most = std::max(most, memory_ / node.memory);
    if (node.gpus > 0) most = std::max(most, gpus_ / node.gpus);
    return static_cast<Duration>(most);
  }

 private:
  const LeveledTasks& all_;
  Duration plain_ = 0;
  Wide cores_ = 0;
  Wide memory_ = 0;
  Wide gpus_ = 0;
};

}  // namespace

LeveledTasks::LeveledTasks(Workflow workflow, const Cluster& cluster)
    : workflow_(std::move(workflow)), levels_(workflow_.levels()) {
  const auto size = static_cast<TaskId>(workflow_.size());
  const NodeType node = job_node(cluster);
  std::vector<NodeDemand> demands;
  demands.reserve(size);
  times_.reserve(size);
  for (TaskId task = 0; task < size; ++task) {
    const TaskTime time = time_on(workflow_, task, cluster);
    const TaskShare share = share_on(workflow_, task, time, node, cluster.name);
    times_.push_back(std::max(kSecond, whole_seconds(time.duration(share.processors))));
    demands.push_back(share.demand);
    if (levels_[task] >= level_sizes_.size()) level_sizes_.resize(levels_[task] + 1);
    ++level_sizes_[levels_[task]];
  }
  NodeSharing sharing = make_sharing(node, demands);
  if (!sharing.is_plain()) sharing_ = std::move(sharing);
  NodeWork work(*this);
  for (TaskId task = 0; task < size; ++task) work.add(task);
  work_ = work.in_nodes();
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

// The most nodes that a level of the set can use at once.
Count widest_level(const LeveledTasks& all, std::span<const TaskId> tasks) {
  using Place = std::pair<std::uint32_t, std::uint32_t>;  // level, demand
  std::vector<Place> places;
  places.reserve(tasks.size());
  for (const TaskId task : tasks) {
    places.emplace_back(all.level(task), all.sharing().demand_of[task]);
  }
  std::ranges::sort(places);
  Count width = 0;
  std::vector<DemandCount> on_level;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i > 0 && places[i].first != places[i - 1].first) {
      width = std::max(width, nodes_at_once(all.sharing(), std::exchange(on_level, {})));
    }
    const bool is_new = on_level.empty() || on_level.back().demand != places[i].second;
    if (is_new) on_level.push_back({.demand = places[i].second});
    ++on_level.back().tasks;
  }
  return std::max(width, nodes_at_once(all.sharing(), std::move(on_level)));
}

}  // namespace

TaskSet make_set(const LeveledTasks& all, std::vector<TaskId> tasks) {
  TaskSet set;
  if (tasks.empty()) return set;
  std::vector<std::uint32_t> counts(all.level_count());
  NodeWork work(all);
  for (const TaskId task : tasks) {
    ++counts[all.level(task)];
    work.add(task);
    set.least_nodes = std::max(set.least_nodes, all.nodes(task));
  }
  set.work = work.in_nodes();
  set.width = all.is_plain() ? static_cast<Count>(*std::ranges::max_element(counts))
                             : widest_level(all, tasks);
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
