// Which cores and GPUs of the nodes of a job are free, by their numbers from 0: a task gets the
// lowest ones. How many it gets, and on which nodes, is the packer's business.
//
//   NodeSlots slots(names, node);
//   std::vector<NodeShare> shares = slots.take(demand, nodes);
//   slots.give_back(nodes, shares);
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "batch/pilot/pilot_file.hpp"
#include "core/packer.hpp"

namespace dovetail::batch {

class NodeSlots {
 public:
  NodeSlots(std::vector<std::string> names, const NodeType& node);

  Count size() const { return static_cast<Count>(nodes_.size()); }

  // Needs nodes that have the room. A task that has whole nodes gets all that is on them.
  std::vector<NodeShare> take(const NodeDemand& demand, std::span<const NodeId> nodes);
  void give_back(std::span<const NodeId> nodes, std::span<const NodeShare> shares);

 private:
  struct FreeSlots {
    std::string name;
    std::set<int> cores;
    std::set<int> gpus;
  };

  NodeType node_;
  std::vector<FreeSlots> nodes_;
};

}  // namespace dovetail::batch
