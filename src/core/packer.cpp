// The trees are treaps: ordered by fullness, and heaps by a priority that is the node's number,
// well mixed. So they are balanced as if nodes had come in random order, whatever the order really
// was, and the same nodes always give the same tree. Links are numbers: a copy copies a few arrays.
#include "core/packer.hpp"

#include <algorithm>
#include <cassert>
#include <tuple>

namespace dovetail {
namespace {

// The last step of MurmurHash3 (Appleby): one to one, so that no two nodes are equal.
std::uint32_t tree_priority(NodeId node) {
  std::uint32_t mixed = node + 1;
  mixed ^= mixed >> 16;
  mixed *= 0x85ebca6bU;
  mixed ^= mixed >> 13;
  mixed *= 0xc2b2ae35U;
  mixed ^= mixed >> 16;
  return mixed;
}

std::vector<std::uint32_t> numbered_by_type(std::span<const NodeType> types) {
  std::vector<std::uint32_t> result;
  for (std::size_t type = 0; type < types.size(); ++type) {
    result.insert(result.end(), static_cast<std::size_t>(types[type].count),
                  static_cast<std::uint32_t>(type));
  }
  return result;
}

}  // namespace

Packer::Packer(std::span<const NodeType> types) : Packer(types, numbered_by_type(types)) {}

Packer::Packer(std::span<const NodeType> types, std::span<const std::uint32_t> type_of_node)
    : types_(types.begin(), types.end()), idle_(types.size(), 0), slots_(type_of_node.size()) {
  assert(types.size() <= kMaxNodeTypes);
  std::size_t trees = 0;
  for (const NodeType& type : types_) {
    assert(type.cores >= 1 && type.gpus >= 0 && type.gpus <= kMaxGpus);
    first_tree_.push_back(trees);
    trees += static_cast<std::size_t>(type.gpus) + 1;
  }
  roots_.assign(trees, kNone);
  for (NodeId node = 0; node < slots_.size(); ++node) {
    Slot& slot = slots_[node];
    slot.type = type_of_node[node];
    const NodeType& type = types_[slot.type];
    slot.free = {type.cores, type.memory, type.gpus};
    add_to_tree(node);
  }
}

bool Packer::place(const NodeDemand& demand, std::vector<NodeId>& nodes) {
  assert(demand.nodes >= 1 && demand.cores >= 1 && demand.memory >= 0 && demand.gpus >= 0);
  if (demand.nodes > 1 || demand.is_whole) {
    if (idle_nodes_for(demand) < demand.nodes) return false;
    place_on_idle(demand, nodes);
    return true;
  }
  const NodeId node = fullest(demand);
  if (node == kNone) return false;
  occupy(node, demand);
  nodes.assign(1, node);
  return true;
}

bool Packer::place(const NodeDemand& demand, std::vector<NodeId>& nodes,
                   const std::function<bool(NodeId)>& accepts) {
  std::vector<NodeId> able;
  for (NodeId node = 0; node < slots_.size(); ++node) {
    if (has_room(node, demand)) able.push_back(node);
  }
  std::sort(able.begin(), able.end(), [this](NodeId a, NodeId b) { return is_fuller(a, b); });
  std::vector<NodeId> chosen;
  for (auto node = able.begin(); node != able.end() && std::ssize(chosen) < demand.nodes; ++node) {
    if (accepts(*node)) chosen.push_back(*node);
  }
  if (std::ssize(chosen) < demand.nodes) return false;
  std::sort(chosen.begin(), chosen.end());
  for (const NodeId node : chosen) occupy(node, demand);
  nodes = std::move(chosen);
  return true;
}

bool Packer::fits(const NodeDemand& demand) const {
  if (demand.nodes > 1 || demand.is_whole) return idle_nodes_for(demand) >= demand.nodes;
  return fullest(demand) != kNone;
}

void Packer::take(const NodeDemand& demand, std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) occupy(node, demand);
}

void Packer::release(const NodeDemand& demand, std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) {
    const NodeType& type = type_of(node);
    NodeRoom free{type.cores, type.memory, type.gpus};
    if (!demand.is_whole) {
      free = slots_[node].free;
      free.cores += demand.cores;
      free.gpus += demand.gpus;
      if (type.memory > 0) free.memory += demand.memory;
      assert(free.cores <= type.cores && free.gpus <= type.gpus && free.memory <= type.memory);
    }
    set_room(node, free);
  }
}

void Packer::lose(NodeId node) {
  if (slots_[node].is_lost) return;
  remove_from_tree(node);
  slots_[node].is_lost = true;
}

// Whether idle nodes of the type can hold it.
bool Packer::can_hold(std::size_t type, const NodeDemand& demand) const {
  const NodeType& it = types_[type];
  return (demand.types >> type & 1U) != 0 && it.cores >= demand.cores && it.gpus >= demand.gpus &&
         (it.memory == 0 || it.memory >= demand.memory);
}

// Whether the node can hold its share of the demand now.
bool Packer::has_room(NodeId node, const NodeDemand& demand) const {
  const Slot& slot = slots_[node];
  if (slot.is_lost || !can_hold(slot.type, demand)) return false;
  if (demand.nodes > 1 || demand.is_whole) return is_idle(node);
  const bool has_memory = types_[slot.type].memory == 0 || slot.free.memory >= demand.memory;
  return slot.free.cores >= demand.cores && slot.free.gpus >= demand.gpus && has_memory;
}

// The order of the rule.
bool Packer::is_fuller(NodeId a, NodeId b) const {
  const NodeRoom& of_a = slots_[a].free;
  const NodeRoom& of_b = slots_[b].free;
  return std::tie(of_a.cores, of_a.gpus, of_a.memory, a) <
         std::tie(of_b.cores, of_b.gpus, of_b.memory, b);
}

// The node that a demand for a part of one node gets.
NodeId Packer::fullest(const NodeDemand& demand) const {
  NodeId best = kNone;
  for (std::size_t type = 0; type < types_.size(); ++type) {
    if (!can_hold(type, demand)) continue;
    const NodeType& it = types_[type];
    const Bytes memory = it.memory == 0 ? 0 : demand.memory;
    for (Count gpus = demand.gpus; gpus <= it.gpus; ++gpus) {
      const NodeId root = roots_[first_tree_[type] + static_cast<std::size_t>(gpus)];
      const NodeId found = first_with(root, demand.cores, memory);
      if (found != kNone && (best == kNone || is_fuller(found, best))) best = found;
    }
  }
  return best;
}

// Only idle nodes have all cores free.
NodeId Packer::first_idle(std::size_t type) const {
  const NodeType& it = types_[type];
  const std::size_t tree = first_tree_[type] + static_cast<std::size_t>(it.gpus);
  return first_with(roots_[tree], it.cores, it.memory);
}

std::int64_t Packer::idle_nodes_for(const NodeDemand& demand) const {
  std::int64_t sum = 0;
  for (std::size_t type = 0; type < types_.size(); ++type) {
    if (can_hold(type, demand)) sum += idle_[type];
  }
  return sum;
}

// Needs enough idle nodes.
void Packer::place_on_idle(const NodeDemand& demand, std::vector<NodeId>& nodes) {
  std::vector<NodeId> next;  // the first idle node of each type that still has one
  for (std::size_t type = 0; type < types_.size(); ++type) {
    if (can_hold(type, demand) && idle_[type] > 0) next.push_back(first_idle(type));
  }
  nodes.clear();
  while (nodes.size() < static_cast<std::size_t>(demand.nodes)) {
    const auto first = std::min_element(next.begin(), next.end(),
                                        [this](NodeId a, NodeId b) { return is_fuller(a, b); });
    const std::size_t type = slots_[*first].type;
    nodes.push_back(*first);
    occupy(*first, demand);
    *first = first_idle(type);
    if (*first == kNone) next.erase(first);
  }
  std::sort(nodes.begin(), nodes.end());
}

void Packer::occupy(NodeId node, const NodeDemand& demand) {
  assert(!slots_[node].is_lost && (!demand.is_whole || is_idle(node)));
  NodeRoom left;
  if (!demand.is_whole) {
    left = slots_[node].free;
    left.cores -= demand.cores;
    left.gpus -= demand.gpus;
    if (type_of(node).memory > 0) left.memory -= demand.memory;
    assert(left.cores >= 0 && left.gpus >= 0 && left.memory >= 0);
  }
  set_room(node, left);
}

void Packer::set_room(NodeId node, const NodeRoom& room) {
  if (slots_[node].is_lost) {
    slots_[node].free = room;
    return;
  }
  remove_from_tree(node);
  slots_[node].free = room;
  add_to_tree(node);
}

void Packer::add_to_tree(NodeId node) {
  const Slot& slot = slots_[node];
  if (is_idle(node)) ++idle_[slot.type];
  insert(roots_[first_tree_[slot.type] + static_cast<std::size_t>(slot.free.gpus)], node);
}

void Packer::remove_from_tree(NodeId node) {
  const Slot& slot = slots_[node];
  if (is_idle(node)) --idle_[slot.type];
  erase(roots_[first_tree_[slot.type] + static_cast<std::size_t>(slot.free.gpus)], node);
}

// The fullest node with that many free cores and that much memory. Beside the way down to the first
// node with the cores it enters only subtrees that have the memory, and finds it there.
NodeId Packer::first_with(NodeId root, Count cores, Bytes memory) const {
  if (root == kNone || slots_[root].most_memory < memory) return kNone;
  const Slot& slot = slots_[root];
  if (slot.free.cores < cores) return first_with(slot.right, cores, memory);
  const NodeId fuller = first_with(slot.left, cores, memory);
  if (fuller != kNone) return fuller;
  return slot.free.memory >= memory ? root : first_with(slot.right, cores, memory);
}

void Packer::insert(NodeId& root, NodeId node) {
  if (root == kNone || tree_priority(root) < tree_priority(node)) {
    split(root, node, slots_[node].left, slots_[node].right);
    root = node;
  } else {
    insert(is_fuller(node, root) ? slots_[root].left : slots_[root].right, node);
  }
  update(root);
}

void Packer::erase(NodeId& root, NodeId node) {
  if (root == node) {
    root = merge(slots_[node].left, slots_[node].right);
    return;
  }
  assert(root != kNone);
  erase(is_fuller(node, root) ? slots_[root].left : slots_[root].right, node);
  update(root);
}

// Takes a tree apart into the nodes that are fuller than `node` and the rest.
void Packer::split(NodeId root, NodeId node, NodeId& fuller, NodeId& rest) {
  if (root == kNone) {
    fuller = rest = kNone;
    return;
  }
  Slot& slot = slots_[root];
  if (is_fuller(root, node)) {
    fuller = root;
    split(slot.right, node, slot.right, rest);
  } else {
    rest = root;
    split(slot.left, node, fuller, slot.left);
  }
  update(root);
}

// One tree of two; needs all nodes on the left to be fuller.
NodeId Packer::merge(NodeId left, NodeId right) {
  if (left == kNone) return right;
  if (right == kNone) return left;
  const bool is_left = tree_priority(left) > tree_priority(right);
  if (is_left) {
    slots_[left].right = merge(slots_[left].right, right);
  } else {
    slots_[right].left = merge(left, slots_[right].left);
  }
  const NodeId root = is_left ? left : right;
  update(root);
  return root;
}

void Packer::update(NodeId node) {
  Slot& slot = slots_[node];
  slot.most_memory = slot.free.memory;
  for (const NodeId child : {slot.left, slot.right}) {
    if (child != kNone) slot.most_memory = std::max(slot.most_memory, slots_[child].most_memory);
  }
}

}  // namespace dovetail
