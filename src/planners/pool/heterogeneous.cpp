#include "planners/pool/heterogeneous.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace dovetail::planning {

namespace {

// The position of each name among the clusters; nothing when it is none of them.
std::vector<std::optional<std::size_t>> positions_of(std::span<const std::string> names,
                                                     const Platform& platform) {
  std::unordered_map<std::string_view, std::size_t> clusters;
  for (const Cluster& cluster : platform.clusters()) {
    clusters.emplace(cluster.name, clusters.size());
  }
  std::vector<std::optional<std::size_t>> positions;
  for (const std::string& name : names) {
    const auto found = clusters.find(name);
    positions.push_back(found == clusters.end() ? std::nullopt : std::optional(found->second));
  }
  return positions;
}

}  // namespace

CostGraph::CostGraph(const Problem& problem) : resources_(problem.platform().clusters().size()) {
  first_input_.push_back(0);
  TaskId first = 0;
  for (std::size_t w = 0; w < problem.workflows().size(); ++w) {
    add(problem, w, first);
    first += static_cast<TaskId>(problem.workflows()[w].size());
  }
  link_outputs();
}

CostGraph::CostGraph(std::size_t resources, std::vector<Duration> costs, std::vector<Input> inputs,
                     std::vector<std::uint32_t> first_input)
    : resources_(resources),
      costs_(std::move(costs)),
      inputs_(std::move(inputs)),
      first_input_(std::move(first_input)),
      order_(size()) {
  assert(costs_.size() == size() * resources_ && first_input_.back() == inputs_.size());
  std::iota(order_.begin(), order_.end(), TaskId{0});
  link_outputs();
}

void CostGraph::add(const Problem& problem, std::size_t number, TaskId first) {
  const Workflow& workflow = problem.workflows()[number];
  costs_.resize(costs_.size() + workflow.size() * resources_, kForever);
  const auto positions = positions_of(workflow.resource_names(), problem.platform());
  for (TaskId task = 0; task < workflow.size(); ++task) {
    const auto row = std::span(costs_).subspan((first + task) * resources_, resources_);
    const TaskTime time = workflow.time(task);
    if (time.kind() != TimeKind::per_resource) {
      for (ResourceId resource = 0; resource < resources_; ++resource) {
        if (!problem.allows(number, task, resource, 1)) continue;
        row[resource] = problem.time(number, task, resource).duration(1);
      }
    } else if (time.min_procs() == 1) {
      // Reads the points as listed: a search for each resource would take longer than planning.
      for (const TimePoint& point : time.points()) {
        const auto position = positions[static_cast<std::size_t>(point.key)];
        if (position) row[*position] = run_time(point.seconds);
      }
    }
    const auto from = workflow.predecessors(task);
    const auto transfers = workflow.transfers_in(task);
    for (std::size_t i = 0; i < from.size(); ++i) {
      inputs_.push_back({first + from[i], transfers.empty() ? 0 : transfers[i]});
    }
    first_input_.push_back(static_cast<std::uint32_t>(inputs_.size()));
  }
  for (const TaskId task : workflow.topological_order()) order_.push_back(first + task);
}

void CostGraph::link_outputs() {
  first_output_.assign(size() + 1, 0);
  for (const Input& input : inputs_) ++first_output_[input.from + 1];
  for (std::size_t i = 1; i < first_output_.size(); ++i) first_output_[i] += first_output_[i - 1];
  outputs_.resize(inputs_.size());
  std::vector<std::uint32_t> next(first_output_.begin(), first_output_.end() - 1);
  for (TaskId task = 0; task < size(); ++task) {
    for (std::uint32_t i = first_input_[task]; i < first_input_[task + 1]; ++i) {
      outputs_[next[inputs_[i].from]++] = {task, i};
    }
  }
}

std::string pool_unfit(const Problem& problem) {
  const auto clusters = problem.platform().clusters();
  for (const Cluster& cluster : clusters) {
    if (cluster.processors != 1)
      return "plans resources of one processor each, and \"" + cluster.name + "\" has more";
    if (!cluster.node_types.empty())
      return "plans resources without memory and GPUs, and \"" + cluster.name + "\" has some";
    if (!cluster.reservations.empty())
      return "plans resources without reservations, and \"" + cluster.name + "\" has some";
  }
  for (std::size_t w = 0; w < problem.workflows().size(); ++w) {
    for (TaskId task = 0; task < problem.workflows()[w].size(); ++task) {
      if (problem.release(w, task) > problem.now())
        return "plans tasks that may start at once, and some have to wait";
    }
  }
  const auto is_there = [&](const Cluster& cluster) {
    return cluster.joins <= problem.now() && cluster.leaves > problem.now();
  };
  if (std::ranges::none_of(clusters, is_there))
    return "needs a resource that is there at the start";
  return {};
}

std::string leaves_unseen(const Problem& problem) {
  for (const Cluster& cluster : problem.platform().clusters()) {
    const bool leaves = cluster.leaves > problem.now() && cluster.leaves < kForever;
    if (leaves) return "does not know that \"" + cluster.name + "\" leaves";
  }
  return {};
}

}  // namespace dovetail::planning
