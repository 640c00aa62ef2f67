// The packer: which nodes a task runs on. Estimates, the simulated queue, the pilot of a real job,
// the local dispatcher and plans all ask here, so that what is planned is what happens.
//
//   Packer packer(types);                    // all nodes idle
//   std::vector<NodeId> nodes;
//   if (packer.place(demand, nodes)) ...     // taken
//   packer.release(demand, nodes);
//
// The rule, for one node: of the nodes that can hold the demand, the one that is fullest
// afterwards: the fewest free cores are left, then the fewest free GPUs, then the least free memory;
// ties by number. For several nodes, or whole ones: of the idle nodes that can hold it, in the same
// order. So small tasks fill nodes that are begun, and wide tasks find idle ones.
//
// Deterministic; a question takes logarithmic time in the number of nodes. A value.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dovetail/nodes.hpp"

namespace dovetail {

using NodeId = std::uint32_t;  // of a packer, from 0

class Packer {
 public:
  // All nodes are idle, and numbered by type, in the order of the types.
  explicit Packer(std::span<const NodeType> types);

  // Nodes of these types, each given by its position among the types; the types' counts mean
  // nothing. For the nodes of a job, which come in an order of their own.
  Packer(std::span<const NodeType> types, std::span<const std::uint32_t> type_of_node);

  std::size_t size() const;
  const NodeType& type_of(NodeId node) const;

  // Takes nodes for the demand, in increasing order of numbers; false, and nothing is changed, when
  // it does not fit now.
  bool place(const NodeDemand& demand, std::vector<NodeId>& nodes);

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
  NodeRoom room(NodeId node) const;
};

}  // namespace dovetail
