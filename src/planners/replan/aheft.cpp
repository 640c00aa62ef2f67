#include "planners/replan/aheft.hpp"

#include <algorithm>
#include <cmath>

#include "core/order.hpp"

namespace dovetail::planning {

AheftOptions paper_options() {
  return {.ranks = {RankRule::mean}, .transfers = {TransferModel::literal}};
}

AheftWorld::AheftWorld(const CostGraph& graph, Time now, std::vector<ResourceId> pool,
                       AheftOptions options)
    : graph_(graph),
      options_(std::move(options)),
      at_start_(graph.resource_count(), false),
      situation_(graph, now),
      resource_drift_(graph.resource_count(), 1.0),
      task_drift_(graph.size(), 1.0) {
  for (const ResourceId resource : pool) at_start_[resource] = true;
  situation_.pool = std::move(pool);
  situation_.sent.resize(graph.edge_count());
}

bool AheftWorld::is_in_pool(ResourceId resource) const {
  return std::ranges::find(situation_.pool, resource) != situation_.pool.end();
}

void AheftWorld::advance(Time now) {
  situation_.clock = now;
  for (TaskId task = 0; task < graph_.size(); ++task) {
    TaskProgress& progress = situation_.progress[task];
    if (progress == TaskProgress::waiting && has_plan_ && schedule_.tasks[task].start < now) {
      progress = TaskProgress::running;
      situation_.placed[task] = schedule_.tasks[task];
    }
    if (progress == TaskProgress::running && situation_.placed[task].end <= now) finish(task);
  }
  for (const ResourceId resource : std::vector(situation_.pool)) {
    if (situation_.leaves[resource] <= now) remove(resource, situation_.leaves[resource]);
  }
}

// Sends the task's outputs at once to where the plan wants them.
void AheftWorld::finish(TaskId task) {
  situation_.progress[task] = TaskProgress::finished;
  if (!has_plan_) return;
  const Assignment& place = situation_.placed[task];
  for (const auto& [to, edge] : graph_.outputs(task)) {
    const ResourceId resource = schedule_.tasks[to].resource;
    const Duration transfer = resource == place.resource ? 0 : graph_.input(edge).transfer;
    send(edge, resource, place.end + transfer);
  }
}

void AheftWorld::send(std::uint32_t edge, ResourceId to, Time arrival) {
  auto& sent = situation_.sent[edge];
  const bool is_known = std::ranges::find(sent, to, &Situation::Delivery::resource) != sent.end();
  if (!is_known) sent.push_back({to, arrival});
}

bool AheftWorld::apply(const std::vector<Event>& events) {
  bool has_moved = false;
  bool matters = false;
  const std::optional<Time> end_before = current_end();
  for (const Event& event : events) {
    switch (event.kind) {
      case Event::Kind::join:
        join(event.resource);
        matters = true;
        break;
      case Event::Kind::leave:
        leave(event.resource);
        matters = true;
        break;
      case Event::Kind::leave_later:
        situation_.leaves[event.resource] = event.until;
        matters = true;
        break;
      case Event::Kind::slow:
        slow(event.resource, event.factor);
        has_moved = true;
        break;
      case Event::Kind::late:
        delay(event.task, event.factor);
        has_moved = true;
        break;
      case Event::Kind::lost:
        if (situation_.progress[event.task] != TaskProgress::running) break;
        lose(event.task);
        has_moved = matters = true;
        break;
      case Event::Kind::reserve:
      case Event::Kind::cancel:
      case Event::Kind::fail:
        break;  // a pool has no other users
    }
  }
  stop_late();
  if (has_moved && has_plan_) shift();
  return matters || is_out_of_band() ||
         is_beyond_band(end_before, current_end(), situation_.clock, options_.band);
}

bool AheftWorld::is_out_of_band() const {
  const auto counts = [&](double drift) {
    return options_.band == 0 || std::abs(drift - 1) > options_.band;
  };
  return std::ranges::any_of(resource_drift_, counts) || std::ranges::any_of(task_drift_, counts);
}

// Running tasks that cannot end before their resource leaves are planned again at once.
void AheftWorld::stop_late() {
  for (TaskId task = 0; task < graph_.size(); ++task) {
    const Assignment& place = situation_.placed[task];
    if (situation_.progress[task] != TaskProgress::running) continue;
    if (place.end <= situation_.leaves[place.resource]) continue;
    lose(task);
    has_plan_ = false;
  }
}

// A resource that is present and was to leave stays.
void AheftWorld::join(ResourceId resource) {
  if (options_.plans_once && !at_start_[resource]) return;
  situation_.leaves[resource] = kForever;
  if (!is_in_pool(resource)) situation_.pool.push_back(resource);
}

// Files that were still on their way to it are lost.
void AheftWorld::remove(ResourceId resource, Time when) {
  std::erase(situation_.pool, resource);
  for (auto& sent : situation_.sent) {
    std::erase_if(sent, [&](const Situation::Delivery& delivery) {
      return delivery.resource == resource && delivery.arrival > when;
    });
  }
}

// The tasks running there are lost.
void AheftWorld::leave(ResourceId resource) {
  remove(resource, situation_.clock);
  for (TaskId task = 0; task < graph_.size(); ++task) {
    const TaskProgress progress = situation_.progress[task];
    if (progress == TaskProgress::running && situation_.placed[task].resource == resource) {
      lose(task);
      has_plan_ = false;
    } else if (progress == TaskProgress::waiting && has_plan_) {
      has_plan_ = schedule_.tasks[task].resource != resource;
    }
  }
}

void AheftWorld::lose(TaskId task) {
  const Assignment& place = situation_.placed[task];
  lost_.push_back({task, {place.resource, place.start, situation_.clock}});
  situation_.progress[task] = TaskProgress::waiting;
}

void AheftWorld::slow(ResourceId resource, double factor) {
  const double change = factor / situation_.slowness[resource];
  situation_.slowness[resource] = factor;
  resource_drift_[resource] *= change;
  for (TaskId task = 0; task < graph_.size(); ++task) {
    if (situation_.placed[task].resource == resource) stretch(task, change);
  }
}

void AheftWorld::delay(TaskId task, double factor) {
  if (situation_.progress[task] == TaskProgress::finished) return;
  situation_.lateness.resize(graph_.size(), 1.0);
  situation_.lateness[task] *= factor;
  task_drift_[task] *= factor;
  stretch(task, factor);
}

// Multiplies the remaining time of a running task by the factor.
void AheftWorld::stretch(TaskId task, double factor) {
  if (situation_.progress[task] != TaskProgress::running) return;
  Assignment& place = situation_.placed[task];
  place.end = situation_.clock + run_time(to_seconds(place.end - situation_.clock) * factor);
  schedule_.tasks[task] = place;
}

// The plan in force with the current costs: the same resources, the same order on each, every task
// as early as possible.
void AheftWorld::shift() {
  const auto order =
      order_by<TaskId>(graph_.size(), [&](TaskId task) { return schedule_.tasks[task].start; });
  std::vector<Time> free(graph_.resource_count(), situation_.clock);
  schedule_.end = situation_.clock;
  for (const TaskId task : order) {
    Assignment& place = schedule_.tasks[task];
    if (situation_.progress[task] == TaskProgress::waiting) {
      Time start = free[place.resource];
      for (std::uint32_t edge = graph_.first_input(task); edge < graph_.first_input(task + 1);
           ++edge) {
        start = std::max(start, arrival(edge, place.resource));
      }
      place = {place.resource, start, start + situation_.cost(graph_, task, place.resource)};
    }
    free[place.resource] = std::max(free[place.resource], place.end);
    schedule_.end = std::max(schedule_.end, place.end);
  }
}

// When the edge's file arrives in the plan in force.
Time AheftWorld::arrival(std::uint32_t edge, ResourceId resource) const {
  const CostGraph::Input& input = graph_.input(edge);
  const Assignment& from = schedule_.tasks[input.from];
  if (from.resource == resource) return from.end;
  if (situation_.progress[input.from] == TaskProgress::finished) {
    for (const auto& [to, arrival] : situation_.sent[edge]) {
      if (to == resource) return arrival;
    }
  }
  return from.end + input.transfer;
}

std::optional<Time> AheftWorld::current_end() const {
  if (!has_plan_) return std::nullopt;
  for (TaskId task = 0; task < graph_.size(); ++task) {
    if (situation_.progress[task] == TaskProgress::finished) continue;
    const Assignment& place = schedule_.tasks[task];
    if (place.end > situation_.leaves[place.resource]) return std::nullopt;
  }
  return schedule_.end;
}

std::optional<Time> AheftWorld::propose() {
  if (options_.plans_once && current_end()) return std::nullopt;
  std::ranges::fill(resource_drift_, 1.0);
  std::ranges::fill(task_drift_, 1.0);
  std::optional<Schedule> best;
  Situation situation = situation_;
  if (options_.restart) {
    std::ranges::replace(situation.progress, TaskProgress::running, TaskProgress::waiting);
  }
  std::vector<std::vector<double>> by_rule;
  for (const RankRule rule : options_.ranks) by_rule.push_back(ranks(graph_, situation, rule));
  for (const TransferModel transfer : options_.transfers) {
    for (std::size_t i = 0; i < by_rule.size(); ++i) {
      auto plan =
          plan_rest(graph_, situation, {options_.ranks[i], transfer, options_.slots}, by_rule[i]);
      if (plan && (!best || plan->end < best->end)) best = std::move(plan);
    }
  }
  if (!best) return std::nullopt;
  proposal_ = std::move(*best);
  return proposal_.end;
}

// Files that are now needed elsewhere are sent at once.
void AheftWorld::adopt() {
  schedule_ = std::move(proposal_);
  has_plan_ = true;
  for (TaskId task = 0; task < graph_.size() && options_.restart; ++task) {
    if (situation_.progress[task] == TaskProgress::running) lose(task);
  }
  PlanVersion version{situation_.clock, {}};
  for (const Assignment& place : schedule_.tasks) version.clusters.push_back(place.resource);
  versions_.push_back(std::move(version));
  for (TaskId task = 0; task < graph_.size(); ++task) {
    if (situation_.progress[task] != TaskProgress::waiting) continue;
    std::uint32_t edge = graph_.first_input(task);
    for (const CostGraph::Input& input : graph_.inputs(task)) {
      const ResourceId to = schedule_.tasks[task].resource;
      if (situation_.progress[input.from] == TaskProgress::finished) {
        const bool is_there = situation_.placed[input.from].resource == to;
        send(edge, to,
             is_there ? situation_.placed[input.from].end : situation_.clock + input.transfer);
      }
      ++edge;
    }
  }
}

void AheftWorld::give_up() { has_plan_ = false; }

}  // namespace dovetail::planning
