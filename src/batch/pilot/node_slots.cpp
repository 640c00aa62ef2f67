#include "batch/pilot/node_slots.hpp"

namespace dovetail::batch {

namespace {

std::set<int> numbers_below(Count count) {
  std::set<int> numbers;
  for (Count i = 0; i < count; ++i) numbers.insert(numbers.end(), i);
  return numbers;
}

std::vector<int> take_lowest(std::set<int>& free, Count count) {
  std::vector<int> taken;
  for (Count i = 0; i < count && !free.empty(); ++i) {
    taken.push_back(*free.begin());
    free.erase(free.begin());
  }
  return taken;
}

}  // namespace

NodeSlots::NodeSlots(std::vector<std::string> names, const NodeType& node) : node_(node) {
  for (std::string& name : names) {
    nodes_.push_back({std::move(name), numbers_below(node.cores), numbers_below(node.gpus)});
  }
}

std::vector<NodeShare> NodeSlots::take(const NodeDemand& demand, std::span<const NodeId> nodes) {
  std::vector<NodeShare> shares;
  for (const NodeId node : nodes) {
    FreeSlots& free = nodes_[node];
    shares.push_back(
        {.node = free.name,
         .cores = take_lowest(free.cores, demand.is_whole ? node_.cores : demand.cores),
         .gpus = take_lowest(free.gpus, demand.is_whole ? node_.gpus : demand.gpus)});
  }
  return shares;
}

void NodeSlots::give_back(std::span<const NodeId> nodes, std::span<const NodeShare> shares) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes_[nodes[i]].cores.insert(shares[i].cores.begin(), shares[i].cores.end());
    nodes_[nodes[i]].gpus.insert(shares[i].gpus.begin(), shares[i].gpus.end());
  }
}

}  // namespace dovetail::batch
