// The packer: which nodes a task runs on. Estimates, the simulated queue, the pilot of a real job,
// the local dispatcher and plans all ask here, so that what is planned is what happens.
//
//   Packer packer(types);                    // all nodes idle
//   std::vector<NodeId> nodes;
//   if (packer.place(demand, nodes)) ...     // taken
//   packer.release(demand, nodes);
//
// The rule, for a part of one node: of the nodes that can hold the demand, the fullest: the one
// with the fewest free cores, then the fewest free GPUs, then the least free memory (0 where it is
// not known); ties by number. The demand makes all of them fuller alike, so the same node is the
// fullest afterwards. For several nodes, or whole ones: of the idle nodes that can hold it, the
// first in the same order. So small tasks fill nodes that are begun, and wide tasks find idle ones.
//
// Deterministic; a value. For n nodes, to find a node takes O(log n) for each allowed type and each
// number of GPUs that its nodes may have free, to take or release one takes O(log n), and `fits` of
// several nodes takes O(types). (The logarithms are expected ones, for a fixed mixing of numbers.)
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dovetail/nodes.hpp"

namespace dovetail {

using NodeId = std::uint32_t;  // of a packer, from 0

class Packer {
 public:
  // All nodes are idle, and numbered by type, in the order of the types. Needs at most
  // kMaxNodeTypes types.
  explicit Packer(std::span<const NodeType> types);

  // Nodes of these types, each given by its position among the types; the types' counts mean
  // nothing. For the nodes of a job, which come in an order of their own.
  Packer(std::span<const NodeType> types, std::span<const std::uint32_t> type_of_node);

  std::size_t size() const { return slots_.size(); }
  const NodeType& type_of(NodeId node) const { return types_[slots_[node].type]; }

  // Takes nodes for the demand and puts them into `nodes`, in increasing order of numbers; false,
  // and nothing is changed, when it does not fit now.
  bool place(const NodeDemand& demand, std::vector<NodeId>& nodes);

  // The same by the same rule, of the nodes that `accepts` agrees to: for callers who know more
  // about a node than what is free now, such as what will be taken of it. Looks at every node.
  bool place(const NodeDemand& demand, std::vector<NodeId>& nodes,
             const std::function<bool(NodeId)>& accepts);

  // Whether place() would take nodes.
  bool fits(const NodeDemand& demand) const;

  // Takes just these nodes; needs them to have the room. For tasks that run already.
  void take(const NodeDemand& demand, std::span<const NodeId> nodes);

  // Undoes place() or take().
  void release(const NodeDemand& demand, std::span<const NodeId> nodes);

  // Nothing is placed on the node any more. What it has is released as before.
  void lose(NodeId node);

  // What is free on a node; nothing of a lost one.
  struct NodeRoom {
    Count cores = 0;
    Bytes memory = 0;
    Count gpus = 0;
    friend bool operator==(const NodeRoom&, const NodeRoom&) = default;
  };
  NodeRoom room(NodeId node) const { return slots_[node].is_lost ? NodeRoom{} : slots_[node].free; }

 private:
  static constexpr NodeId kNone = ~NodeId{0};

  // A node, and its place in a tree of nodes.
  struct Slot {
    NodeRoom free;          // what a lost one would have, too
    Bytes most_memory = 0;  // free on a node of the subtree that begins here
    NodeId left = kNone;
    NodeId right = kNone;
    std::uint32_t type = 0;
    bool is_lost = false;
  };

  bool can_hold(std::size_t type, const NodeDemand& demand) const;
  bool is_idle(NodeId node) const { return slots_[node].free.cores == type_of(node).cores; }
  bool is_fuller(NodeId a, NodeId b) const;
  bool has_room(NodeId node, const NodeDemand& demand) const;
  NodeId fullest(const NodeDemand& demand) const;
  NodeId first_idle(std::size_t type) const;
  std::int64_t idle_nodes_for(const NodeDemand& demand) const;
  void place_on_idle(const NodeDemand& demand, std::vector<NodeId>& nodes);
  void occupy(NodeId node, const NodeDemand& demand);
  void set_room(NodeId node, const NodeRoom& room);
  void add_to_tree(NodeId node);
  void remove_from_tree(NodeId node);

  NodeId first_with(NodeId root, Count cores, Bytes memory) const;
  void insert(NodeId& root, NodeId node);
  void erase(NodeId& root, NodeId node);
  void split(NodeId root, NodeId node, NodeId& fuller, NodeId& rest);
  NodeId merge(NodeId left, NodeId right);
  void update(NodeId node);

  // All nodes of a type with the same number of free GPUs are in one search tree, the fullest
  // first; lost ones are in none. Of the nodes that come after a given number of cores, a tree
  // finds the first with enough memory by the most memory of its subtrees. With the GPUs as another
  // bound the subtrees would no longer tell, hence a tree for each number.
  std::vector<NodeType> types_;
  std::vector<std::size_t> first_tree_;  // of a type: without free GPUs, then with 1, 2, ...
  std::vector<NodeId> roots_;            // of the trees
  std::vector<Count> idle_;              // how many nodes of a type are idle and not lost
  std::vector<Slot> slots_;
};

}  // namespace dovetail
