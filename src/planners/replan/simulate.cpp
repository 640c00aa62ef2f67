#include "planners/replan/simulate.hpp"

#include <algorithm>

#include "dovetail/answer.hpp"
#include "dovetail/metrics.hpp"
#include "planners/list/cluster_view.hpp"
#include "planners/pool/heterogeneous.hpp"
#include "planners/pool/pool.hpp"
#include "planners/replan/cluster_world.hpp"

namespace dovetail::planning {

namespace {

Simulation simulate_cluster(const Problem& problem, std::span<const Event> events,
                            const SimulateOptions& options) {
  const auto make_plan = [&](const Problem& rest) {
    PlanningContext context(rest, options.planning);
    return find_answer(context, {.algorithm = options.planner, .haste = Haste::replanning})
        .best_effort();
  };
  ClusterWorld world(problem, make_plan,
                     {.band = options.band,
                      .stability = options.stability,
                      .searches = options.planner == nullptr || options.planner->is_search,
                      .planning = options.planning,
                      .tells_declined = true});
  KnownEvents feed(events, [&](const Event& event) { return describe(event, problem); });
  std::vector<Evaluation> history{evaluate(world, problem.now(), "start")};
  Plan before = world.executed();
  listen(world, feed, history);
  Simulation result{.before = std::move(before),
                    .after = world.executed(),
                    .lost = {world.lost().begin(), world.lost().end()},
                    .platform = world.platform()};
  result.after.history = std::move(history);
  return result;
}

Simulation simulate_pool(const Problem& problem, std::span<const Event> events,
                         const SimulateOptions& options) {
  const PlannerInfo& planner =
      options.planner != nullptr ? *options.planner : *find_planner("AHEFT");
  PlanningContext context(problem, options.planning);
  Simulation run = run_pool(planner, context, {events.begin(), events.end()}, options.band);
  run.before.deadline = run.after.deadline = problem.deadline();
  return run;
}

bool has_nodes(const Problem& problem) {
  return std::ranges::any_of(problem.platform().clusters(),
                             [](const Cluster& cluster) { return !cluster.node_types.empty(); });
}

// Decides which events are allowed.
bool is_pool(const Problem& problem) { return problem.platform().clusters().size() > 1; }

}  // namespace

double cpu_hours(const Simulation& simulation) {
  return cpu_hours(simulation.after) + cpu_hours(Plan{.placements = simulation.lost});
}

Problem by_processors(const Problem& problem) {
  const auto workflows = problem.workflows();
  if (!has_nodes(problem) || std::ranges::any_of(workflows, &Workflow::has_needs)) return problem;
  const Platform& platform = problem.platform();
  std::vector<Cluster> clusters(platform.clusters().begin(), platform.clusters().end());
  for (Cluster& cluster : clusters) cluster.node_types.clear();
  return Problem({workflows.begin(), workflows.end()},
                 Platform(platform.now(), std::move(clusters), platform.wall_clock()),
                 problem.goal(), problem.deadline());
}

std::string simulate_unfit(const Problem& problem, const SimulateOptions& options) {
  const PlannerInfo* planner = options.planner;
  if (planner != nullptr && (planner->pool_rule != nullptr) != is_pool(problem)) {
    return std::string(planner->name) +
           (is_pool(problem) ? " follows one cluster only" : " follows several resources only");
  }
  if (has_nodes(problem)) {
    return "events are followed by processors alone, and tasks need memory, GPUs or nodes";
  }
  const std::string unfit = is_pool(problem) ? pool_unfit(problem) : single_cluster_unfit(problem);
  return unfit.empty() ? "" : "the planner " + unfit;
}

Simulation simulate(const Problem& problem, std::span<const Event> events,
                    const SimulateOptions& options) {
  return is_pool(problem) ? simulate_pool(problem, events, options)
                          : simulate_cluster(problem, events, options);
}

}  // namespace dovetail::planning
