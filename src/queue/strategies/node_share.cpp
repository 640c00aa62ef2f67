#include "queue/strategies/node_share.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "dovetail/error.hpp"

namespace dovetail::queue {

namespace {

// Of nodes of two types what both have. Memory that is not known does not count.
NodeType common(const NodeType& a, const NodeType& b) {
  NodeType both{.count = a.count + b.count,
                .cores = std::min(a.cores, b.cores),
                .memory = a.memory == 0 || b.memory == 0 ? std::max(a.memory, b.memory)
                                                         : std::min(a.memory, b.memory),
                .gpus = std::min(a.gpus, b.gpus)};
  for (const std::string& feature : a.features) {
    if (std::ranges::find(b.features, feature) != b.features.end()) {
      both.features.push_back(feature);
    }
  }
  return both;
}

auto key_of(const NodeDemand& demand) {
  return std::tuple(demand.nodes, demand.cores, demand.memory, demand.gpus, demand.is_whole,
                    demand.types);
}

}  // namespace

NodeType common_node(std::span<const NodeType> types) {
  NodeType node = types.front();
  for (const NodeType& type : types.subspan(1)) node = common(node, type);
  return node;
}

NodeType job_node(const Cluster& cluster) {
  if (cluster.node_types.empty()) {
    return {.count = std::max<Count>(1, cluster.processors / cluster.cores_per_node),
            .cores = cluster.cores_per_node};
  }
  return common_node(cluster.node_types);
}

TaskShare share_of(const TaskNeeds& needs, const TaskTime& time, const NodeType& node) {
  const std::span types(&node, 1);
  Count least = time.min_procs();
  // On that many nodes it has at least as many processors.
  if (least < needs.min_nodes) least = std::max(least, time.next_allowed(needs.min_nodes - 1));
  const auto smallest = demand_of(needs, least, types);
  if (!smallest) throw InputError(lacking(needs, least, types));
  Count processors = least;
  if (time.next_allowed(least) != 0) processors = time.floor_allowed(smallest->nodes * node.cores);
  for (; processors > least; processors = time.floor_allowed(processors - 1)) {
    const auto demand = demand_of(needs, processors, types);
    if (demand && demand->nodes == smallest->nodes) return {processors, *demand};
  }
  return {least, *smallest};
}

bool NodeSharing::is_plain() const {
  return std::ranges::all_of(demands, [&](const NodeDemand& demand) {
    return demand.nodes == 1 && (demand.is_whole || 2 * demand.cores > node.cores);
  });
}

NodeSharing make_sharing(const NodeType& node, std::span<const NodeDemand> by_task) {
  NodeSharing sharing{.node = node};
  sharing.demand_of.reserve(by_task.size());
  std::map<decltype(key_of(NodeDemand{})), std::uint32_t> known;
  for (const NodeDemand& demand : by_task) {
    const auto next = static_cast<std::uint32_t>(sharing.demands.size());
    const auto [found, is_new] = known.try_emplace(key_of(demand), next);
    if (is_new) sharing.demands.push_back(demand);
    sharing.demand_of.push_back(found->second);
  }
  return sharing;
}

namespace {

// What is free on each of some nodes.
struct RoomOnNodes {
  Count nodes = 0;
  Count cores = 0;
  Bytes memory = 0;  // means nothing when memory does not count
  Count gpus = 0;

  Count tasks_on_each(const NodeDemand& demand, bool counts_memory) const {
    Count most = cores / std::max<Count>(1, demand.cores);
    if (counts_memory && demand.memory > 0) {
      most = static_cast<Count>(std::min<Bytes>(most, memory / demand.memory));
    }
    return demand.gpus > 0 ? std::min(most, gpus / demand.gpus) : most;
  }

  RoomOnNodes after(Count on_nodes, const NodeDemand& demand, Count tasks) const {
    return {on_nodes, cores - tasks * demand.cores, memory - tasks * demand.memory,
            gpus - tasks * demand.gpus};
  }
};

// Nodes that are begun, those with the same room together.
class BegunNodes {
 public:
  explicit BegunNodes(const NodeType& node)
      : idle_{.nodes = 1, .cores = node.cores, .memory = node.memory, .gpus = node.gpus},
        counts_memory_(node.memory > 0) {}

  Count used() const { return used_; }

  void add(const NodeDemand& demand, Count tasks) {
    // These take idle nodes; what is left of them others may take, which would only need fewer.
    if (demand.is_whole || demand.nodes > 1) {
      used_ += demand.nodes * tasks;
      return;
    }
    std::vector<RoomOnNodes> next;
    for (const RoomOnNodes& room : begun_) fill(room, demand, tasks, next);
    if (tasks > 0) {
      const Count each = idle_.tasks_on_each(demand, counts_memory_);
      RoomOnNodes fresh = idle_;
      fresh.nodes = (tasks + each - 1) / each;
      used_ += fresh.nodes;
      fill(fresh, demand, tasks, next);
    }
    if (next.size() > kMostKinds) {
      next.erase(next.begin(), next.end() - static_cast<std::ptrdiff_t>(kMostKinds));
    }
    begun_ = std::move(next);
  }

 private:
  // What is full or the oldest of many kinds is not looked at again, so that many demands stay
  // cheap.
  static constexpr std::size_t kMostKinds = 64;

  // Puts as many of the tasks there as fit, and takes them off `tasks`.
  void fill(const RoomOnNodes& room, const NodeDemand& demand, Count& tasks,
            std::vector<RoomOnNodes>& next) const {
    const Count each = room.tasks_on_each(demand, counts_memory_);
    const Count full = each == 0 ? 0 : std::min(room.nodes, tasks / each);
    Count untouched = room.nodes - full;
    tasks -= full * each;
    if (full > 0) keep(room.after(full, demand, each), next);
    if (each > 0 && tasks > 0 && untouched > 0) {
      keep(room.after(1, demand, tasks), next);
      tasks = 0;
      --untouched;
    }
    if (untouched > 0) keep({untouched, room.cores, room.memory, room.gpus}, next);
  }

  static void keep(const RoomOnNodes& room, std::vector<RoomOnNodes>& next) {
    if (room.cores > 0) next.push_back(room);
  }

  RoomOnNodes idle_;
  bool counts_memory_;
  std::vector<RoomOnNodes> begun_;
  Count used_ = 0;
};

}  // namespace

Count nodes_at_once(const NodeSharing& sharing, std::vector<DemandCount> tasks) {
  const auto size_of = [&](const DemandCount& some) {
    const NodeDemand& demand = sharing.demands[some.demand];
    return std::tuple(demand.cores, demand.gpus, demand.memory);
  };
  std::ranges::stable_sort(
      tasks, [&](const DemandCount& a, const DemandCount& b) { return size_of(a) > size_of(b); });
  BegunNodes nodes(sharing.node);
  for (const DemandCount& some : tasks) nodes.add(sharing.demands[some.demand], some.tasks);
  return nodes.used();
}

}  // namespace dovetail::queue
