// The packer as its rule reads: every question looks at every node. And what a task takes of nodes,
// by trying one number of nodes after the other. Shares nothing with the library but its values.
//
//   PlainPacker twin(types, {0, 0, 1});   // two nodes of the first type and one of the second
//   std::vector<std::uint32_t> nodes;
//   twin.place(demand, nodes);
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "dovetail/nodes.hpp"

namespace dovetail::testing {

// The demand of a task; nothing when no number of nodes can hold it.
inline std::optional<NodeDemand> plain_demand(const TaskNeeds& needs, Count processors,
                                              const std::vector<NodeType>& types) {
  const bool says_nodes = needs.min_nodes > 0 || needs.max_nodes > 0;
  for (Count k = 1; k <= processors; ++k) {
    if (k < needs.min_nodes) continue;
    if (needs.max_nodes > 0 && k > needs.max_nodes) break;
    NodeDemand demand;
    demand.nodes = k;
    demand.cores = processors / k;
    if (demand.cores * k < processors) ++demand.cores;
    demand.memory = std::max(needs.memory, needs.memory_per_processor * demand.cores);
    demand.gpus = needs.gpus;
    demand.is_whole = !says_nodes && k >= 2;
    demand.types = 0;
    std::int64_t there = 0;
    for (std::size_t i = 0; i < types.size(); ++i) {
      const NodeType& type = types[i];
      bool holds = type.cores >= demand.cores && type.gpus >= demand.gpus;
      if (type.memory != 0 && type.memory < demand.memory) holds = false;
      for (const std::string& feature : needs.features) {
        bool has = false;
        for (const std::string& other : type.features) has = has || other == feature;
        holds = holds && has;
      }
      if (!holds) continue;
      demand.types += std::uint64_t{1} << i;
      there += type.count;
    }
    if (there >= k) return demand;
  }
  return std::nullopt;
}

class PlainPacker {
 public:
  PlainPacker(std::vector<NodeType> types, const std::vector<std::uint32_t>& type_of_node)
      : types_(std::move(types)) {
    for (const std::uint32_t type : type_of_node) {
      Node node;
      node.type = type;
      node.cores = types_[type].cores;
      node.memory = types_[type].memory;
      node.gpus = types_[type].gpus;
      nodes_.push_back(node);
    }
  }

  // The nodes that a demand gets now; fewer than it asks for when it does not fit.
  std::vector<std::uint32_t> choose(const NodeDemand& demand) const {
    const bool needs_idle = demand.nodes > 1 || demand.is_whole;
    std::vector<std::uint32_t> able;
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
      if (!holds(demand, nodes_[node]) || (needs_idle && nodes_[node].users > 0)) continue;
      able.push_back(node);
    }
    const std::size_t wanted = std::min(able.size(), static_cast<std::size_t>(demand.nodes));
    std::partial_sort(able.begin(), able.begin() + static_cast<std::ptrdiff_t>(wanted), able.end(),
                      [&](std::uint32_t a, std::uint32_t b) {
                        const auto of_a = fullness(nodes_[a]);
                        const auto of_b = fullness(nodes_[b]);
                        return of_a != of_b ? of_a < of_b : a < b;
                      });
    able.resize(wanted);
    std::sort(able.begin(), able.end());
    return able;
  }

  bool fits(const NodeDemand& demand) const {
    return choose(demand).size() == static_cast<std::size_t>(demand.nodes);
  }

  bool place(const NodeDemand& demand, std::vector<std::uint32_t>& nodes) {
    const std::vector<std::uint32_t> chosen = choose(demand);
    if (chosen.size() < static_cast<std::size_t>(demand.nodes)) return false;
    nodes = chosen;
    take(demand, nodes);
    return true;
  }

  void take(const NodeDemand& demand, const std::vector<std::uint32_t>& nodes) {
    for (const std::uint32_t node : nodes) change(nodes_[node], demand, 1);
  }

  void release(const NodeDemand& demand, const std::vector<std::uint32_t>& nodes) {
    for (const std::uint32_t node : nodes) change(nodes_[node], demand, -1);
  }

  void lose(std::uint32_t node) { nodes_[node].is_lost = true; }

  // Whether the demand could be taken of this very node.
  bool has_room(const NodeDemand& demand, std::uint32_t node) const {
    return holds(demand, nodes_[node]) && (!demand.is_whole || nodes_[node].users == 0);
  }

  bool is_lost(std::uint32_t node) const { return nodes_[node].is_lost; }

  // Free cores, memory and GPUs of a node; a whole node that is taken has none, nor has a lost one.
  std::array<std::int64_t, 3> room(std::uint32_t node) const {
    const Node& it = nodes_[node];
    if (it.is_lost || it.is_whole) return {0, 0, 0};
    return {it.cores, it.memory, it.gpus};
  }

 private:
  struct Node {
    std::uint32_t type = 0;
    Count users = 0;  // tasks on it
    bool is_whole = false;
    bool is_lost = false;
    std::int64_t cores = 0;
    std::int64_t memory = 0;
    std::int64_t gpus = 0;
  };

  bool holds(const NodeDemand& demand, const Node& node) const {
    if (node.is_lost || node.is_whole || (demand.types >> node.type) % 2 == 0) return false;
    const bool knows_memory = types_[node.type].memory != 0;
    return node.cores >= demand.cores && node.gpus >= demand.gpus &&
           (!knows_memory || node.memory >= demand.memory);
  }

  // What the rule compares, before it compares numbers.
  static std::array<std::int64_t, 3> fullness(const Node& node) {
    return {node.cores, node.gpus, node.memory};
  }

  void change(Node& node, const NodeDemand& demand, int sign) {
    node.users += sign;
    if (demand.is_whole) {
      node.is_whole = sign > 0;
      return;
    }
    node.cores -= sign * demand.cores;
    node.gpus -= sign * demand.gpus;
    if (types_[node.type].memory != 0) node.memory -= sign * demand.memory;
  }

  std::vector<NodeType> types_;
  std::vector<Node> nodes_;
};

}  // namespace dovetail::testing
