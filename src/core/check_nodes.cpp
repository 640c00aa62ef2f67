#include "core/check_nodes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "core/held_nodes.hpp"
#include "dovetail/nodes.hpp"

namespace dovetail {

namespace {

// What begins or ends on a node.
struct NodeEvent {
  Time at = 0;
  bool begins = false;
  std::int64_t cores = 0;  // what changes
  std::int64_t memory = 0;
  std::int64_t gpus = 0;
  int whole = 0;  // 1: takes the node for itself
  int count = 0;  // of tasks and reservations
  const Placement* task = nullptr;
};

class NodeJudge {
 public:
  NodeJudge(const Problem& problem, const Plan& plan, std::uint32_t number,
            const std::function<void(std::string)>& report)
      : problem_(problem),
        plan_(plan),
        number_(number),
        cluster_(problem.platform().clusters()[number]),
        type_of_(types_of_nodes(cluster_)),
        report_(report) {}

  void judge() {
    for (std::size_t i = 0; i < plan_.placements.size(); ++i) {
      if (plan_.placements[i].cluster == number_) add(i);
    }
    for (const NodeHold& hold : held_nodes(cluster_)) {
      if (hold.window.end <= problem_.now()) continue;
      add_span(hold.node, hold.window,
               {.cores = hold.cores, .memory = hold.memory, .gpus = hold.gpus, .count = 1});
    }
    for (auto& [node, events] : events_) sweep(node, events);
  }

 private:
  std::string name(const Placement& placement) const {
    const Workflow& workflow = problem_.workflows()[placement.workflow];
    return "task \"" + std::string(workflow.id(placement.task)) + "\"" +
           (problem_.workflows().size() == 1 ? "" : " of \"" + workflow.name() + "\"");
  }

  void add(std::size_t i) {
    const Placement& placement = plan_.placements[i];
    const auto nodes = plan_.nodes.empty() ? std::vector<std::uint32_t>{} : plan_.nodes[i];
    const Workflow& workflow = problem_.workflows()[placement.workflow];
    const auto demand =
        demand_of(workflow.needs(placement.task), placement.procs, cluster_.node_types);
    if (!demand) return;  // that it may not run so is said already
    const std::set<std::uint32_t> different(nodes.begin(), nodes.end());
    if (nodes.size() != static_cast<std::size_t>(demand->nodes) ||
        different.size() != nodes.size()) {
      report_(name(placement) + " takes " + std::to_string(demand->nodes) +
              (demand->nodes == 1 ? " node" : " different nodes") + ", but the plan names " +
              std::to_string(different.size()));
      return;
    }
    for (const std::uint32_t node : nodes) {
      if (node >= type_of_.size()) {
        report_(name(placement) + " runs on node " + std::to_string(node) + ", but cluster \"" +
                cluster_.name + "\" has " + std::to_string(type_of_.size()));
        continue;
      }
      if ((demand->types >> type_of_[node] & 1U) == 0) {
        report_(name(placement) + " runs on node " + std::to_string(node) +
                ", which does not have what it needs");
      }
      add_span(node, {placement.start, placement.end},
               {.cores = demand->cores,
                .memory = demand->memory,
                .gpus = demand->gpus,
                .whole = demand->is_whole ? 1 : 0,
                .count = 1,
                .task = &placement});
    }
  }

  void add_span(std::uint32_t node, Interval window, NodeEvent event) {
    if (window.end <= window.begin) return;
    event.at = window.begin;
    event.begins = true;
    events_[node].push_back(event);
    events_[node].push_back({.at = window.end,
                             .cores = -event.cores,
                             .memory = -event.memory,
                             .gpus = -event.gpus,
                             .whole = -event.whole,
                             .count = -event.count});
  }

  void sweep(std::uint32_t node, std::vector<NodeEvent>& events) {
    const NodeType& type = cluster_.node_types[type_of_[node]];
    // At the same instant, ends come before starts.
    std::ranges::sort(events, {},
                      [](const NodeEvent& event) { return std::pair(event.at, event.begins); });
    NodeEvent sum;
    for (const NodeEvent& event : events) {
      sum.cores += event.cores;
      sum.memory += event.memory;
      sum.gpus += event.gpus;
      sum.whole += event.whole;
      sum.count += event.count;
      if (!event.begins) continue;
      if (sum.cores > type.cores) tell(node, event, "cores", sum.cores, type.cores);
      if (sum.gpus > type.gpus) tell(node, event, "GPUs", sum.gpus, type.gpus);
      if (type.memory > 0 && sum.memory > type.memory) {
        tell(node, event, "bytes of memory", sum.memory, type.memory);
      }
      if (sum.whole > 0 && sum.count > 1) {
        report_(where(node, event) + " is shared, but a task takes it whole" + who(event));
      }
    }
  }

  std::string where(std::uint32_t node, const NodeEvent& event) const {
    return "at " + format_clock(event.at, problem_.platform().wall_clock()) + " node " +
           std::to_string(node) + " of cluster \"" + cluster_.name + "\"";
  }
  std::string who(const NodeEvent& event) const {
    return event.task == nullptr ? "" : ", when " + name(*event.task) + " starts";
  }
  void tell(std::uint32_t node, const NodeEvent& event, const char* what, std::int64_t needed,
            std::int64_t there) const {
    report_(where(node, event) + " needs " + std::to_string(needed) + " of " +
            std::to_string(there) + " " + what + who(event));
  }

  const Problem& problem_;
  const Plan& plan_;
  std::uint32_t number_;
  const Cluster& cluster_;
  std::vector<std::uint32_t> type_of_;
  const std::function<void(std::string)>& report_;
  std::map<std::uint32_t, std::vector<NodeEvent>> events_;
};

}  // namespace

void check_nodes(const Problem& problem, const Plan& plan,
                 const std::function<void(std::string)>& report) {
  if (!plan.nodes.empty() && plan.nodes.size() != plan.placements.size()) {
    return report("the plan names nodes for some placements only");
  }
  const auto clusters = problem.platform().clusters();
  for (std::uint32_t number = 0; number < clusters.size(); ++number) {
    if (!clusters[number].node_types.empty()) NodeJudge(problem, plan, number, report).judge();
  }
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const Cluster& cluster = clusters[plan.placements[i].cluster];
    if (!plan.nodes[i].empty() && cluster.node_types.empty()) {
      report("the plan names nodes of cluster \"" + cluster.name + "\", which has none");
      return;
    }
  }
}

}  // namespace dovetail
