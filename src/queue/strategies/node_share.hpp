// What a task takes of the nodes of a job: how many processors it runs on, and which part of a
// node, or how many nodes, these are.
//
//   const NodeType node = job_node(cluster);
//   const TaskShare share = share_of(workflow.needs(task), time, node);   // share.demand
//
// The nodes of a job are taken to be alike: each has at least what job_node() says.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dovetail/nodes.hpp"
#include "dovetail/platform.hpp"
#include "dovetail/speedup.hpp"
#include "dovetail/workflow.hpp"

namespace dovetail::queue {

// What the nodes of all types have, and how many nodes there are. Needs a type.
NodeType common_node(std::span<const NodeType> types);

// What every node of the cluster has, and how many nodes there are.
NodeType job_node(const Cluster& cluster);

struct TaskShare {
  Count processors = 1;
  NodeDemand demand = {};
};

// A task of fixed size takes its processors: a part of a node, or several whole nodes when it is
// larger than one. A moldable task takes as many processors as it can use on as few nodes as it can
// run on. Throws InputError, with the end of a sentence that begins with the task, when no number
// of nodes can hold it.
TaskShare share_of(const TaskNeeds& needs, const TaskTime& time, const NodeType& node);

// How the tasks of a job share its nodes.
struct NodeSharing {
  NodeType node = {};                         // each of the nodes
  std::vector<NodeDemand> demands = {};       // unlike each other
  std::vector<std::uint32_t> demand_of = {};  // by task: position in demands

  const NodeDemand& demand(TaskId task) const { return demands[demand_of[task]]; }

  // Whether every task takes one node, and no two tasks can share one: then counting nodes is
  // enough.
  bool is_plain() const;
};

NodeSharing make_sharing(const NodeType& node, std::span<const NodeDemand> by_task);

// This many tasks of each demand.
struct DemandCount {
  std::uint32_t demand = 0;
  Count tasks = 0;
};

// A number of nodes on which all the tasks can run at once: the large ones first, each on the first
// node that has the room.
Count nodes_at_once(const NodeSharing& sharing, std::vector<DemandCount> tasks);

}  // namespace dovetail::queue
