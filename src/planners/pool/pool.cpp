#include "planners/pool/pool.hpp"

#include <algorithm>

#include "dovetail/metrics.hpp"
#include "planners/pool/min_min.hpp"

namespace dovetail::planning {

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
  // By resource, whether its first event is that it joins.
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

Placement placement_of(const Problem& problem, std::size_t number, const Assignment& place) {
  const TaskRef ref = problem.task_at(number);
  return {ref.workflow, ref.task, place.resource, 1, place.start, place.end};
}

Plan to_plan(const Problem& problem, std::string_view name,
             const std::optional<Schedule>& schedule) {
  Plan plan{.algorithm = std::string(name), .now = problem.now(), .feasible = schedule.has_value()};
  if (!schedule) return plan;
  for (std::size_t i = 0; i < schedule->tasks.size(); ++i) {
    plan.placements.push_back(placement_of(problem, i, schedule->tasks[i]));
  }
  return plan;
}

std::vector<Placement> to_placements(const Problem& problem, std::span<const LostRun> runs) {
  std::vector<Placement> lost;
  for (const auto& [task, place] : runs) lost.push_back(placement_of(problem, task, place));
  return lost;
}

Plan plan_in_force(const Problem& problem, std::string_view name, const AheftWorld& world) {
  std::optional<Schedule> schedule;
  if (world.current_end()) schedule = world.schedule();
  Plan plan = to_plan(problem, name, schedule);
  if (schedule) plan.versions.assign(world.versions().begin(), world.versions().end());
  return plan;
}

Simulation follow_pool(const Problem& problem, std::string_view name, const AheftOptions& options,
                       const Pool& pool) {
  const CostGraph graph(problem);
  AheftWorld world(graph, problem.now(), pool.at_start, options);
  KnownEvents feed(pool.events, [&](const Event& event) { return describe(event, problem); });
  std::vector<Evaluation> history{evaluate(world, problem.now(), "start")};
  Simulation run{
      .before = plan_in_force(problem, name, world), .after = {}, .platform = problem.platform()};
  run.before.history = history;
  listen(world, feed, history);
  run.after = plan_in_force(problem, name, world);
  run.after.history = std::move(history);
  run.lost = to_placements(problem, world.lost());
  return run;
}

class MinMinRun {
 public:
  MinMinRun(const Problem& problem, std::string_view name, const Pool& pool, StageIn stage_in)
      : problem_(problem), name_(name), graph_(problem), pool_(pool), stage_in_(stage_in) {}

  // The executed plan when only the first `events` events are known.
  Plan hear(std::size_t events) {
    const auto heard = std::span(pool_.events).first(events);
    return to_plan(problem_, name_,
                   run_min_min(graph_, problem_.now(), pool_.at_start, heard, stage_in_, &lost_));
  }
  Plan hear_all() { return hear(pool_.events.size()); }

  // The same event by event, with the expected end after each. There is never another plan.
  Simulation follow() {
    KnownEvents feed(pool_.events, [&](const Event& event) { return describe(event, problem_); });
    Simulation run{.before = hear(0), .after = {}, .platform = problem_.platform()};
    run.after = run.before;
    std::vector<Evaluation> history{{.time = problem_.now(),
                                     .event = "start",
                                     .candidate = end_of(run.before),
                                     .adopted = run.before.feasible}};
    std::size_t heard = 0;
    while (const auto batch = feed.next(end_of(run.after).value_or(kForever))) {
      heard += batch->events.size();
      run.after = hear(heard);
      history.push_back({.time = batch->time, .event = batch->name, .current = end_of(run.after)});
    }
    run.after.history = std::move(history);
    run.lost = to_placements(problem_, lost_);
    return run;
  }

 private:
  static std::optional<Time> end_of(const Plan& plan) {
    return plan.feasible ? std::optional(plan.now + makespan(plan)) : std::nullopt;
  }

  const Problem& problem_;
  std::string_view name_;
  CostGraph graph_;
  const Pool& pool_;
  StageIn stage_in_;
  std::vector<LostRun> lost_;  // of the last course
};

}  // namespace

PoolRule heft_rule() {
  return {.options = {.ranks = {RankRule::mean},
                      .transfers = {TransferModel::inflight},
                      .plans_once = true}};
}

PoolRule aheft_rule() { return {}; }

PoolRule aheft_paper_rule() { return {.options = paper_options()}; }

PoolRule min_min_rule() { return {.is_min_min = true}; }

Plan plan_heft(PlanningContext& context, std::string_view name) {
  const Problem& problem = context.problem();
  const CostGraph graph(problem);
  Situation situation(graph, problem.now());
  situation.pool = Pool(problem).at_start;
  const auto schedule = plan_rest(graph, situation, {});
  Plan plan = to_plan(problem, name, schedule);
  Evaluation start{.time = problem.now(), .event = "start", .adopted = schedule.has_value()};
  if (schedule) start.candidate = schedule->end;
  plan.history = {start};
  return plan;
}

Plan plan_on_pool(PlanningContext& context, std::string_view name, const PoolRule& rule) {
  const Problem& problem = context.problem();
  const Pool pool(problem);
  if (!rule.is_min_min) return follow_pool(problem, name, rule.options, pool).after;
  return MinMinRun(problem, name, pool, context.options().stage_in).hear_all();
}

Simulation run_pool(const PlannerInfo& planner, PlanningContext& context, std::vector<Event> events,
                    double band) {
  const Problem& problem = context.problem();
  const Pool pool(problem, std::move(events));
  PoolRule rule = planner.pool_rule();
  rule.options.band = band;
  if (!rule.is_min_min) return follow_pool(problem, planner.name, rule.options, pool);
  return MinMinRun(problem, planner.name, pool, context.options().stage_in).follow();
}

}  // namespace dovetail::planning
