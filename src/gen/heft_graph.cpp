#include "gen/heft_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/mapped.hpp"
#include "gen/task_times.hpp"
#include "gen/wide_apps.hpp"

namespace dovetail::gen {
namespace {

// Far beyond any workflow in use, yet it fits into memory.
constexpr double kMaxEdges = 1e8;
constexpr double kMaxCosts = 1e8;
constexpr double kMaxResources = 1e6;

void check_costs(const PoolCosts& costs) {
  check_range("mean time", costs.mean_seconds, 0.001, 1e6);
  check_range("ccr", costs.ccr, 0, 1000);
  check_range("beta", costs.beta, 0, 2);
}

double children_at_most(const HeftGraphSpec& spec) {
  // The guard keeps 0.1 * 30 from rounding up to 4.
  return std::max(1.0, std::ceil(spec.out_degree * spec.tasks - 1e-9));
}

void check_spec(const HeftGraphSpec& spec) {
  check_range("tasks", spec.tasks, 1, static_cast<double>(kMaxGeneratedTasks));
  check_range("out_degree", spec.out_degree, 0, 1);
  check_range("shape", spec.shape, 0.001, 1000);
  check_range("tasks times children", spec.tasks * children_at_most(spec), 1, kMaxEdges);
}

// The first task of every level, and the number of tasks.
std::vector<TaskId> draw_levels(const HeftGraphSpec& spec, Random& random) {
  const double widest = std::floor(2 * std::sqrt(spec.tasks) * spec.shape) - 1;
  const auto widths = static_cast<std::uint64_t>(std::max(1.0, widest));
  std::vector<TaskId> levels = {0};
  while (levels.back() < spec.tasks) {
    const std::uint64_t next = levels.back() + 1 + random.below(widths);
    levels.push_back(static_cast<TaskId>(std::min<std::uint64_t>(next, spec.tasks)));
  }
  return levels;
}

using Children = std::vector<std::vector<TaskId>>;  // by task

Children draw_parents(const std::vector<TaskId>& levels, Random& random) {
  Children children(levels.back());
  for (std::size_t level = 1; level + 1 < levels.size(); ++level) {
    const TaskId above = levels[level - 1];
    for (TaskId task = levels[level]; task < levels[level + 1]; ++task) {
      children[above + random.below(levels[level] - above)].push_back(task);
    }
  }
  return children;
}

// The children a task already has count towards the number it draws.
void draw_children(Children& children, const std::vector<TaskId>& levels, std::uint64_t at_most,
                   Random& random) {
  std::vector<TaskId> parent(levels.back(), std::numeric_limits<TaskId>::max());
  for (std::size_t level = 0; level + 2 < levels.size(); ++level) {
    const TaskId next = levels[level + 1];
    const std::uint64_t later = levels.back() - next;
    for (TaskId task = levels[level]; task < next; ++task) {
      for (const TaskId child : children[task]) parent[child] = task;
      const std::uint64_t wanted = std::min(later, 1 + random.below(at_most));
      while (children[task].size() < wanted) {
        const TaskId child = next + static_cast<TaskId>(random.below(later));
        if (std::exchange(parent[child], task) != task) children[task].push_back(child);
      }
    }
  }
}

Duration draw_transfer(const PoolCosts& costs, Random& random) {
  return std::llround(1000 * random.uniform(0, 2 * costs.mean_seconds * costs.ccr));
}

PoolFlow draw_means(std::size_t operations, const PoolCosts& costs, Random& random) {
  PoolFlow flow{.operation = {},
                .mean_seconds = std::vector<double>(operations),
                .edges = {},
                .names = {},
                .beta = costs.beta,
                .cost_source = Random(random.next())};
  for (double& mean : flow.mean_seconds) mean = random.uniform(0, 2 * costs.mean_seconds);
  return flow;
}

PoolFlow ways_for_pool(std::span<const WideStage> operations, std::uint32_t ways,
                       const PoolCosts& costs, Random& random) {
  check_spec(WaysSpec{.ways = ways});
  check_costs(costs);
  PoolFlow flow = draw_means(operations.size(), costs, random);
  std::vector<Duration> transfers(operations.size());
  for (Duration& transfer : transfers) transfer = draw_transfer(costs, random);
  WaysGraph graph = ways_graph(operations, ways);
  for (const auto& [from, to] : graph.edges) {
    flow.edges.push_back({from, to, transfers[graph.operation[from]]});
  }
  flow.operation = std::move(graph.operation);
  flow.names = mapped(operations, &WideStage::name);
  return flow;
}

void check_pool(const PoolSpec& spec) {
  check_range("resources", spec.resources, 1, kMaxResources);
  check_range("interval", spec.interval_seconds, 0.001, 1e9);
  check_range("share", spec.share, 0, 1000);
}

}  // namespace

std::vector<Duration> PoolFlow::costs_on(std::uint32_t resource) const {
  Random random = cost_source.split(resource);
  std::vector<Duration> costs(mean_seconds.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const double seconds = mean_seconds[i] * random.uniform(1 - beta / 2, 1 + beta / 2);
    costs[i] = std::max<Duration>(1, std::llround(1000 * seconds));
  }
  return costs;
}

PoolFlow heft_graph(const HeftGraphSpec& spec, const PoolCosts& costs, Random& random) {
  check_spec(spec);
  check_costs(costs);
  const std::vector<TaskId> levels = draw_levels(spec, random);
  Children children = draw_parents(levels, random);
  draw_children(children, levels, static_cast<std::uint64_t>(children_at_most(spec)), random);
  PoolFlow flow = draw_means(spec.tasks, costs, random);
  for (TaskId task = 0; task < spec.tasks; ++task) {
    flow.operation.push_back(task);
    for (const TaskId child : children[task]) {
      flow.edges.push_back({task, child, draw_transfer(costs, random)});
    }
  }
  std::ranges::stable_sort(flow.edges, {}, &PoolFlow::Edge::to);
  return flow;
}

PoolFlow blast_for_pool(std::uint32_t ways, const PoolCosts& costs, Random& random) {
  return ways_for_pool(blast_operations(), ways, costs, random);
}

PoolFlow wien2k_for_pool(std::uint32_t ways, const PoolCosts& costs, Random& random) {
  return ways_for_pool(wien2k_operations(), ways, costs, random);
}

std::uint32_t joining_at_once(const PoolSpec& spec) {
  check_pool(spec);
  // Rounding to 1e-9 first makes 0.15 of 10 exactly 1.5; nearbyint then rounds halves to even.
  const double rounded = std::nearbyint(std::round(1e9 * spec.share * spec.resources) / 1e9);
  return static_cast<std::uint32_t>(std::max(1.0, rounded));
}

std::vector<Time> join_times(const PoolSpec& spec, Time until) {
  const std::uint32_t at_once = joining_at_once(spec);
  const Duration interval = std::llround(1000 * spec.interval_seconds);
  const Time batches = until > 0 ? (until - 1) / interval : 0;
  check_range("resources with those that join",
              spec.resources + static_cast<double>(batches) * at_once, 1, kMaxResources);
  std::vector<Time> times(spec.resources, 0);
  for (Time batch = 1; batch <= batches; ++batch) {
    times.insert(times.end(), at_once, batch * interval);
  }
  return times;
}

Workflow to_workflow(const PoolFlow& flow, std::size_t resources, std::string name) {
  check_range("tasks times resources", static_cast<double>(flow.size() * resources), 1, kMaxCosts);
  std::vector<TimeSpec> times(flow.mean_seconds.size(), TimeSpec::per_resource({}));
  for (std::uint32_t resource = 0; resource < resources; ++resource) {
    const std::vector<Duration> costs = flow.costs_on(resource);
    const std::string id = fmt::format("r{}", resource + 1);
    for (std::size_t i = 0; i < times.size(); ++i) {
      times[i].on_resource.emplace_back(id, to_seconds(costs[i]));
    }
  }
  WorkflowBuilder builder(std::move(name));
  std::vector<std::uint32_t> count(times.size());
  for (const std::uint32_t operation : flow.operation) {
    const std::string id = flow.names.empty()
                               ? fmt::format("t{}", operation)
                               : fmt::format("{}_{}", flow.names[operation], count[operation]++);
    builder.add_task({.id = id, .time = times[operation]});
  }
  for (const auto& [from, to, transfer] : flow.edges) builder.add_edge(from, to, transfer);
  return std::move(builder).build();
}

Platform to_platform(const PoolSpec& spec, Time until) {
  std::vector<Cluster> clusters;
  for (const Time time : join_times(spec, until)) {
    Cluster cluster{.name = fmt::format("r{}", clusters.size() + 1), .processors = 1};
    if (time > 0) cluster.joins = time;
    clusters.push_back(std::move(cluster));
  }
  return Platform(0, std::move(clusters));
}

}  // namespace dovetail::gen
