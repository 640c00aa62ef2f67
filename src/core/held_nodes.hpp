// Where the reservations of a cluster with nodes lie.
//
//   for (const NodeHold& hold : held_nodes(cluster)) ...   // hold.node is busy in hold.window
//
// A cluster file counts the processors of a reservation and does not say which. The rule: in order
// of their starts (ties by position), each takes free cores from the last node backwards, so that
// the first nodes stay whole. Of a node's memory and GPUs it takes the same share as of its cores,
// rounded up, as far as other reservations leave it. Planners and the checker both go by this rule,
// as it is part of what a file means.
#pragma once

#include <vector>

#include "dovetail/nodes.hpp"
#include "dovetail/platform.hpp"

namespace dovetail {

struct NodeHold {
  std::uint32_t node = 0;  // numbered by type, in the order of the cluster's types
  Interval window = {};
  Count cores = 0;
  Bytes memory = 0;
  Count gpus = 0;
  friend bool operator==(const NodeHold&, const NodeHold&) = default;
};

// In order of their beginnings. Needs a checked cluster with node types.
std::vector<NodeHold> held_nodes(const Cluster& cluster);

// The type of each node of the cluster, by its position among the types.
std::vector<std::uint32_t> types_of_nodes(const Cluster& cluster);

}  // namespace dovetail
