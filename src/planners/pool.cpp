#include "planners/pool.hpp"

#include <algorithm>

#include "planners/aheft.hpp"
#include "planners/min_min.hpp"

namespace dovetail {

namespace {

// The resources of a platform over time.
struct Pool {
  explicit Pool(const Problem& problem) {
    const auto clusters = problem.platform().clusters();
    for (ResourceId resource = 0; resource < clusters.size(); ++resource) {
      const Cluster& cluster = clusters[resource];
      if (cluster.leaves <= problem.now()) continue;
      if (cluster.joins <= problem.now()) {
        at_start.push_back(resource);
      } else {
        events.push_back({cluster.joins, PoolEvent::Kind::join, resource});
      }
      if (cluster.leaves < kForever) {
        events.push_back({cluster.leaves, PoolEvent::Kind::leave, resource});
      }
    }
    std::ranges::stable_sort(events, {}, &PoolEvent::time);
  }

  std::vector<ResourceId> at_start;
  std::vector<PoolEvent> events;  // in order of time
};

std::string name_of(const PoolEvent& event, const Problem& problem) {
  const char* verb = event.kind == PoolEvent::Kind::join ? "join " : "leave ";
  return verb + problem.platform().clusters()[event.resource].name;
}

Plan to_plan(const Problem& problem, std::string_view name,
             const std::optional<Schedule>& schedule) {
  Plan plan{.algorithm = std::string(name), .now = problem.now(), .feasible = schedule.has_value()};
  if (!schedule) return plan;
  auto place = schedule->tasks.begin();
  for (std::uint32_t w = 0; w < problem.workflows().size(); ++w) {
    for (TaskId task = 0; task < problem.workflows()[w].size(); ++task, ++place) {
      plan.placements.push_back({w, task, place->resource, 1, place->start, place->end});
    }
  }
  return plan;
}

Plan follow_pool(const Problem& problem, std::string_view name, const AheftOptions& options) {
  const UnlikeGraph graph(problem);
  Pool pool(problem);
  AheftWorld world(graph, problem.now(), pool.at_start, options);
  KnownEvents<PoolEvent> feed(pool.events,
                              [&](const PoolEvent& event) { return name_of(event, problem); });
  auto history = follow(world, feed, problem.now());
  std::optional<Schedule> executed;
  if (world.current_end()) executed = world.schedule();
  Plan plan = to_plan(problem, name, executed);
  plan.history = std::move(history);
  if (executed) plan.versions.assign(world.versions().begin(), world.versions().end());
  return plan;
}

}  // namespace

Plan plan_heft(PlanningContext& context, std::string_view name) {
  const Problem& problem = context.problem();
  const UnlikeGraph graph(problem);
  Situation situation(graph, problem.now());
  situation.pool = Pool(problem).at_start;
  const auto schedule = plan_rest(graph, situation, {});
  Plan plan = to_plan(problem, name, schedule);
  Evaluation start{.time = problem.now(), .event = "start", .adopted = schedule.has_value()};
  if (schedule) start.candidate = schedule->end;
  plan.history = {start};
  return plan;
}

Plan plan_aheft(PlanningContext& context, std::string_view name) {
  return follow_pool(context.problem(), name, {});
}

Plan plan_aheft_paper(PlanningContext& context, std::string_view name) {
  return follow_pool(context.problem(), name, paper_options());
}

Plan plan_min_min(PlanningContext& context, std::string_view name) {
  const Problem& problem = context.problem();
  const Pool pool(problem);
  return to_plan(problem, name,
                 run_min_min(UnlikeGraph(problem), problem.now(), pool.at_start, pool.events));
}

}  // namespace dovetail
