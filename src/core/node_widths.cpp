#include "core/node_widths.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "dovetail/nodes.hpp"

namespace dovetail {

namespace {

using Types = std::vector<NodeType>;

// As many cores of an idle node as the task can use: its memory may not do for all.
Count usable_cores(const TaskNeeds& needs, const NodeType& type) {
  if (needs.memory_per_processor == 0 || type.memory == 0) return type.cores;
  return static_cast<Count>(std::min<Bytes>(type.cores, type.memory / needs.memory_per_processor));
}

// Whether these processors are a part of one node, parts of as many nodes as the task names, or all
// cores that it can use of several nodes.
bool is_good_count(const TaskNeeds& needs, Count processors, const Types& types) {
  const auto demand = demand_of(needs, processors, types);
  if (!demand) return false;
  if (!demand->is_whole) return demand->cores * demand->nodes == processors;
  if (demand->cores * demand->nodes != processors) return false;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const bool is_allowed = (demand->types >> i & 1U) != 0;
    if (is_allowed && usable_cores(needs, types[i]) == demand->cores) return true;
  }
  return false;
}

// Where counts that are good can lie, with others; increasing.
std::vector<Count> candidates(const TaskNeeds& needs, Count low, Count high, const Types& types) {
  std::vector<Count> counts;
  const auto add = [&](std::int64_t count) {
    if (count >= low && count <= high) counts.push_back(static_cast<Count>(count));
  };
  Count nodes = 0;
  Count most_cores = 0;
  for (const NodeType& type : types) {
    nodes += type.count;
    most_cores = std::max(most_cores, type.cores);
  }
  if (needs.min_nodes > 0 || needs.max_nodes > 0) {
    const Count most = needs.max_nodes > 0 ? std::min(needs.max_nodes, nodes) : nodes;
    for (std::int64_t k = std::max<Count>(1, needs.min_nodes); k <= most; ++k) {
      for (std::int64_t cores = 1; cores <= most_cores; ++cores) add(k * cores);
    }
  } else {
    for (std::int64_t cores = 1; cores <= most_cores; ++cores) add(cores);
    for (const NodeType& type : types) {
      for (std::int64_t k = 2; k <= nodes; ++k) add(k * usable_cores(needs, type));
    }
  }
  std::ranges::sort(counts);
  const auto repeated = std::ranges::unique(counts);
  counts.erase(repeated.begin(), repeated.end());
  return counts;
}

// Where the task's limits leave no good count, those that the nodes can hold at all.
std::vector<TimePoint> good_counts(const TaskNeeds& needs, Count low, Count high,
                                   const Types& types) {
  std::vector<TimePoint> good;
  for (const Count count : candidates(needs, low, high, types)) {
    if (is_good_count(needs, count, types)) good.push_back({.key = count});
  }
  if (!good.empty()) return good;
  for (Count count = low; count <= high; ++count) {
    if (demand_of(needs, count, types)) good.push_back({.key = count});
  }
  return good;
}

}  // namespace

NodeWidths::NodeWidths(const Workflow& workflow, const Cluster& cluster) {
  using Key = std::tuple<Count, Count, Bytes, Bytes, Count, Count, Count, std::vector<std::string>>;
  std::map<Key, std::uint32_t> known;  // of Amdahl's tasks, many of which are alike
  const Types& types = cluster.node_types;
  const auto add = [&](std::vector<TimePoint> points) {
    if (points.empty()) return kNever;
    counts_.push_back(std::move(points));
    return static_cast<std::uint32_t>(counts_.size() - 1);
  };
  for (TaskId task = 0; task < workflow.size(); ++task) {
    const TaskTime time = workflow.time(task);
    const TaskNeeds& needs = workflow.needs(task);
    const Count high = std::min(time.max_procs(), cluster.processors);
    if (time.kind() == TimeKind::table) {
      std::vector<TimePoint> points;
      for (const TimePoint& point : time.points()) {
        if (demand_of(needs, point.key, types)) points.push_back(point);
      }
      of_task_.push_back(add(std::move(points)));
    } else if (time.kind() == TimeKind::amdahl) {
      const Key key{time.min_procs(), high,
                    needs.memory,     needs.memory_per_processor,
                    needs.gpus,       needs.min_nodes,
                    needs.max_nodes,  needs.features};
      const auto [place, is_new] = known.emplace(key, kNever);
      if (is_new) place->second = add(good_counts(needs, time.min_procs(), high, types));
      of_task_.push_back(place->second);
    } else {
      const bool fits = demand_of(needs, time.min_procs(), types).has_value();
      of_task_.push_back(fits ? kAsItIs : kNever);
    }
  }
}

TaskTime NodeWidths::narrowed(TaskId task, const TaskTime& time) const {
  const std::uint32_t place = of_task_[task];
  return place >= kAsItIs ? time : time.only(counts_[place]);
}

}  // namespace dovetail
