#include "planners/pool.hpp"

#include <algorithm>

#include "planners/aheft.hpp"
#include "planners/min_min.hpp"

namespace dovetail {

namespace {

// The resources of a platform over time.
struct Pool {
  explicit Pool(const Problem& problem, std::vector<Event> more = {}) : events(std::move(more)) {
    const auto clusters = problem.platform().clusters();
    const std::vector<bool> is_awaited = awaited(clusters.size());
    for (ResourceId resource = 0; resource < clusters.size(); ++resource) {
      const Cluster& cluster = clusters[resource];
      if (cluster.leaves <= problem.now()) continue;
      if (cluster.joins > problem.now()) {
        events.push_back({cluster.joins, Event::Kind::join, resource});
      } else if (!is_awaited[resource]) {
        at_start.push_back(resource);
      }
      if (cluster.leaves < kForever) {
        events.push_back({cluster.leaves, Event::Kind::leave, resource});
      }
    }
    std::ranges::stable_sort(events, {}, &Event::time);
  }

  std::vector<ResourceId> at_start;
  std::vector<Event> events;  // in order of time

 private:
  // By resource, whether the first that happens to it is that it joins.
  std::vector<bool> awaited(std::size_t resources) const {
    std::vector<bool> awaited(resources, false);
    std::vector<bool> known(resources, false);
    for (const Event& event : events) {
      const bool is_join = event.kind == Event::Kind::join;
      const bool is_leave =
          event.kind == Event::Kind::leave || event.kind == Event::Kind::leave_later;
      if (!is_join && !is_leave) continue;
      if (!known[event.resource]) awaited[event.resource] = is_join;
      known[event.resource] = true;
    }
    return awaited;
  }
};

// By task, counted over all workflows.
std::vector<Placement> to_placements(const Problem& problem) {
  std::vector<Placement> placements;
  for (std::uint32_t w = 0; w < problem.workflows().size(); ++w) {
    for (TaskId task = 0; task < problem.workflows()[w].size(); ++task) {
      placements.push_back({.workflow = w, .task = task, .procs = 1});
    }
  }
  return placements;
}

Placement at(Placement placement, const Assignment& place) {
  placement.cluster = place.resource;
  placement.start = place.start;
  placement.end = place.end;
  return placement;
}

Plan to_plan(const Problem& problem, std::string_view name,
             const std::optional<Schedule>& schedule) {
  Plan plan{.algorithm = std::string(name), .now = problem.now(), .feasible = schedule.has_value()};
  if (!schedule) return plan;
  plan.placements = to_placements(problem);
  for (std::size_t i = 0; i < plan.placements.size(); ++i) {
    plan.placements[i] = at(plan.placements[i], schedule->tasks[i]);
  }
  return plan;
}

std::vector<Placement> to_placements(const Problem& problem, std::span<const LostRun> runs) {
  std::vector<Placement> lost;
  if (runs.empty()) return lost;
  const std::vector<Placement> tasks = to_placements(problem);
  for (const auto& [task, place] : runs) lost.push_back(at(tasks[task], place));
  return lost;
}

Plan plan_in_force(const Problem& problem, std::string_view name, const AheftWorld& world) {
  std::optional<Schedule> schedule;
  if (world.current_end()) schedule = world.schedule();
  Plan plan = to_plan(problem, name, schedule);
  if (schedule) plan.versions.assign(world.versions().begin(), world.versions().end());
  return plan;
}

PoolRun follow_pool(const Problem& problem, std::string_view name, const AheftOptions& options,
                    const Pool& pool) {
  const UnlikeGraph graph(problem);
  AheftWorld world(graph, problem.now(), pool.at_start, options);
  KnownEvents feed(pool.events, [&](const Event& event) { return describe(event, problem); });
  std::vector<Evaluation> history{evaluate(world, problem.now(), "start")};
  PoolRun run{.before = plan_in_force(problem, name, world), .after = {}};
  run.before.history = history;
  listen(world, feed, history);
  run.after = plan_in_force(problem, name, world);
  run.after.history = std::move(history);
  run.lost = to_placements(problem, world.lost());
  return run;
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
  return follow_pool(context.problem(), name, {}, Pool(context.problem())).after;
}

Plan plan_aheft_paper(PlanningContext& context, std::string_view name) {
  return follow_pool(context.problem(), name, paper_options(), Pool(context.problem())).after;
}

Plan plan_min_min(PlanningContext& context, std::string_view name) {
  const Problem& problem = context.problem();
  const Pool pool(problem);
  return to_plan(problem, name,
                 run_min_min(UnlikeGraph(problem), problem.now(), pool.at_start, pool.events));
}

bool plans_pools(const PlannerInfo& planner) { return planner.unfit == unlike_unfit; }

PoolRun run_pool(const PlannerInfo& planner, const Problem& problem, std::vector<Event> events,
                 double band) {
  const Pool pool(problem, std::move(events));
  if (planner.name == "MINMIN") {
    const UnlikeGraph graph(problem);
    std::vector<LostRun> lost;
    const auto run = [&](std::span<const Event> heard) {
      return to_plan(
          problem, planner.name,
          run_min_min(graph, problem.now(), pool.at_start, heard, StageIn::parallel, &lost));
    };
    PoolRun result{.before = run({}), .after = run(pool.events)};
    result.lost = to_placements(problem, lost);
    return result;
  }
  AheftOptions options = planner.name == "AHEFT_PAPER" ? paper_options() : AheftOptions{};
  if (planner.name == "HEFT") options = {.ranks = {RankRule::mean}, .plans_once = true};
  options.band = band;
  return follow_pool(problem, planner.name, options, pool);
}

}  // namespace dovetail
