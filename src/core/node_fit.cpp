#include "core/node_fit.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace dovetail {

namespace {

std::string quoted(const std::string& text) { return '"' + text + '"'; }

// "a", "b" and 3 more.
std::string listed(const std::set<std::string>& names) {
  constexpr std::size_t kMost = 10;
  const std::size_t shown = std::min(names.size(), kMost);
  std::string text;
  std::size_t number = 0;
  for (const std::string& name : names) {
    if (number == shown) break;
    const bool is_last = number + 1 == names.size();
    if (number > 0) text += is_last ? " and " : ", ";
    text += quoted(name);
    ++number;
  }
  if (names.size() > shown) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

std::string why_not_without_nodes(const Cluster& cluster, const TaskNeeds& needs) {
  return "requires " + quoted(needs.features.front()) + ", but cluster " + quoted(cluster.name) +
         " says nothing about the features of its nodes; give it node_types in a cluster file";
}

}  // namespace

bool nodes_hold(const Cluster& cluster, const TaskNeeds& needs, Count processors) {
  if (cluster.node_types.empty()) return needs.features.empty();
  return demand_of(needs, processors, cluster.node_types).has_value();
}

std::string why_nodes_do_not_hold(std::span<const Cluster* const> clusters, const TaskNeeds& needs,
                                  Count processors) {
  std::set<std::string> known;
  const Cluster* largest = nullptr;
  for (const Cluster* cluster : clusters) {
    if (cluster->node_types.empty()) continue;
    for (const NodeType& type : cluster->node_types) {
      known.insert(type.features.begin(), type.features.end());
    }
    if (largest == nullptr || cluster->processors > largest->processors) largest = cluster;
  }
  if (largest == nullptr) return why_not_without_nodes(*clusters.front(), needs);
  for (const std::string& feature : needs.features) {
    if (known.contains(feature)) continue;
    return "requires " + quoted(feature) + ", but no node has this feature; known are " +
           (known.empty() ? "none" : listed(known));
  }
  const std::string why = lacking(needs, processors, largest->node_types);
  return clusters.size() == 1 ? why : why + " (cluster " + quoted(largest->name) + ")";
}

}  // namespace dovetail
