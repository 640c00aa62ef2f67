// Whether the nodes of a cluster can hold a task, and why those of a platform cannot, for the
// checks of a Problem. A cluster whose nodes are not described has processors and nothing else:
// it holds what requires no features; memory and GPUs do not count. (A run on this machine counts
// them by itself.)
//
//   if (!nodes_hold(cluster, needs, 8)) ...
#pragma once

#include <span>
#include <string>

#include "dovetail/platform.hpp"

namespace dovetail {

// When all nodes are idle. More processors never fit where fewer do not, as long as the task has a
// processor on each node that it needs.
bool nodes_hold(const Cluster& cluster, const TaskNeeds& needs, Count processors);

// The end of a sentence that begins with the task. Needs clusters that are large enough, none of
// which holds the task; the largest with nodes speaks for the others.
std::string why_nodes_do_not_hold(std::span<const Cluster* const> clusters, const TaskNeeds& needs,
                                  Count processors);

}  // namespace dovetail
