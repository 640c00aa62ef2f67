#include "planners/pool/min_min.hpp"

#include <algorithm>

namespace dovetail::planning {

namespace {

class MinMin {
 public:
  MinMin(const CostGraph& graph, Time now, std::vector<ResourceId> pool, StageIn stage_in)
      : graph_(graph),
        stage_in_(stage_in),
        situation_(graph, now),
        missing_(graph.size()),
        given_(graph.size()),
        queues_(graph.resource_count()) {
    situation_.pool = std::move(pool);
    for (TaskId task = 0; task < graph.size(); ++task) {
      missing_[task] = static_cast<std::uint32_t>(graph.inputs(task).size());
      if (missing_[task] == 0) ready_.push_back(task);
    }
  }

  std::optional<Schedule> run(std::span<const Event> events) {
    auto event = events.begin();
    for (;;) {
      dispatch();
      const Time end = next_end();
      const Time next = event == events.end() ? end : std::min(end, event->time);
      if (next == kForever) break;
      situation_.clock = next;
      finish_due();
      for (; event != events.end() && event->time <= next; ++event) apply(*event);
    }
    if (finished_ < graph_.size()) return std::nullopt;
    Schedule schedule{std::move(situation_.placed), 0};
    for (const Assignment& place : schedule.tasks) schedule.end = std::max(schedule.end, place.end);
    return schedule;
  }

  const std::vector<LostRun>& lost() const { return lost_; }

 private:
  struct Choice {
    Time start = 0;
    Time end = kForever;
    Duration measure = kForever;  // what is minimised
    ResourceId resource = 0;
  };

  Time now() const { return situation_.clock; }

  // When the resource has finished the tasks it was given.
  Time available(ResourceId resource) const {
    const auto& queue = queues_[resource];
    return queue.empty() ? now() : std::max(now(), situation_.placed[queue.back()].end);
  }

  Duration stage(TaskId task, ResourceId resource) const {
    Duration longest = 0;
    Duration sum = 0;
    for (const CostGraph::Input& input : graph_.inputs(task)) {
      if (situation_.placed[input.from].resource == resource) continue;
      longest = std::max(longest, input.transfer);
      sum += input.transfer;
    }
    return stage_in_ == StageIn::sum ? sum : longest;
  }

  // The start on a resource that is free from `free` on, of a task given to it at `given`.
  Time start_on(ResourceId resource, TaskId task, Time free, Time given) const {
    const Duration staged = stage(task, resource);
    return stage_in_ == StageIn::blocking ? free + staged : std::max(free, given + staged);
  }

  Choice choice(TaskId task, ResourceId resource) const {
    const Duration cost = situation_.cost(graph_, task, resource);
    if (cost == kForever) return {};
    const Time free = available(resource);
    if (stage_in_ == StageIn::idle && free > now()) return {};
    const Time start = start_on(resource, task, free, now());
    if (start + cost > situation_.leaves[resource]) return {};
    const Time measure = stage_in_ == StageIn::compute ? free + cost : start + cost;
    return {start, start + cost, measure, resource};
  }

  Choice best(TaskId task) const {
    Choice best;
    for (const ResourceId resource : situation_.pool) {
      const Choice other = choice(task, resource);
      if (other.measure < best.measure) best = other;
    }
    return best;
  }

  // Repeatedly dispatches the ready task that can end first.
  void dispatch() {
    std::ranges::sort(ready_);
    std::vector<Choice> bests;
    for (const TaskId task : ready_) bests.push_back(best(task));
    while (!ready_.empty()) {
      const auto first = std::ranges::min_element(bests, {}, &Choice::measure);
      if (first->measure == kForever) return;
      const Choice chosen = *first;
      const auto position = first - bests.begin();
      give(ready_[static_cast<std::size_t>(position)], chosen);
      ready_.erase(ready_.begin() + position);
      bests.erase(first);
      // Only the chosen resource has changed, and only for the worse.
      for (std::size_t i = 0; i < bests.size(); ++i) {
        if (bests[i].resource == chosen.resource) bests[i] = best(ready_[i]);
      }
    }
  }

  void give(TaskId task, const Choice& chosen) {
    situation_.placed[task] = {chosen.resource, chosen.start, chosen.end};
    given_[task] = now();
    queues_[chosen.resource].push_back(task);
  }

  Time next_end() const {
    Time end = kForever;
    for (const ResourceId resource : situation_.pool) {
      const auto& queue = queues_[resource];
      if (!queue.empty()) end = std::min(end, situation_.placed[queue.front()].end);
    }
    return end;
  }

  void finish_due() {
    for (const ResourceId resource : situation_.pool) {
      auto& queue = queues_[resource];
      auto done = queue.begin();
      for (; done != queue.end() && situation_.placed[*done].end <= now(); ++done) finish(*done);
      queue.erase(queue.begin(), done);
    }
  }

  void finish(TaskId task) {
    ++finished_;
    situation_.progress[task] = TaskProgress::finished;
    for (const auto& [to, edge] : graph_.outputs(task)) {
      if (--missing_[to] == 0) ready_.push_back(to);
    }
  }

  void apply(const Event& event) {
    auto& pool = situation_.pool;
    auto& queue = queues_[event.resource];
    switch (event.kind) {
      case Event::Kind::join:
        if (std::ranges::find(pool, event.resource) == pool.end()) pool.push_back(event.resource);
        situation_.leaves[event.resource] = kForever;
        break;
      case Event::Kind::leave:
        std::erase(pool, event.resource);
        for (const TaskId task : queue) take_back(task);
        queue.clear();
        break;
      case Event::Kind::leave_later:
        situation_.leaves[event.resource] = event.until;
        take_back_late(event.resource);
        break;
      case Event::Kind::slow:
        slow(event);
        break;
      case Event::Kind::late:
        delay(event);
        break;
      case Event::Kind::lost:
        lose(event.task);
        break;
      case Event::Kind::reserve:
      case Event::Kind::cancel:
      case Event::Kind::fail:
        break;  // a pool has no other users
    }
  }

  // Takes a task back from its resource; a run that is cut short is lost.
  void take_back(TaskId task) {
    const Assignment& place = situation_.placed[task];
    if (place.start < now()) lost_.push_back({task, {place.resource, place.start, now()}});
    ready_.push_back(task);
  }

  // Takes back tasks that would not end before their resource leaves, and those waiting behind
  // them.
  void take_back_late(ResourceId resource) {
    auto& queue = queues_[resource];
    const auto late = std::ranges::find_if(queue, [&](TaskId task) {
      return situation_.placed[task].end > situation_.leaves[resource];
    });
    for (auto task = late; task != queue.end(); ++task) take_back(*task);
    queue.erase(late, queue.end());
  }

  void slow(const Event& event) {
    const double change = event.factor / situation_.slowness[event.resource];
    situation_.slowness[event.resource] = event.factor;
    for (const TaskId task : queues_[event.resource]) stretch(task, change);
    move_on(event.resource);
  }

  void delay(const Event& event) {
    if (situation_.progress[event.task] == TaskProgress::finished) return;
    situation_.lateness.resize(graph_.size(), 1.0);
    situation_.lateness[event.task] *= event.factor;
    if (!is_given(event.task)) return;
    stretch(event.task, event.factor);
    move_on(situation_.placed[event.task].resource);
  }

  void lose(TaskId task) {
    if (!is_given(task) || situation_.placed[task].start >= now()) return;
    const ResourceId resource = situation_.placed[task].resource;
    std::erase(queues_[resource], task);
    take_back(task);
    move_on(resource);
  }

  bool is_given(TaskId task) const {
    const auto& queue = queues_[situation_.placed[task].resource];
    return std::ranges::find(queue, task) != queue.end();
  }

  // Multiplies the remaining time of a running task by the factor.
  void stretch(TaskId task, double factor) {
    Assignment& place = situation_.placed[task];
    if (place.start >= now()) return;
    place.end = now() + run_time(to_seconds(place.end - now()) * factor);
  }

  // Replans the tasks waiting on a resource behind the running one, with the current costs.
  void move_on(ResourceId resource) {
    Time free = now();
    for (const TaskId task : queues_[resource]) {
      Assignment& place = situation_.placed[task];
      if (place.start >= now()) {
        place.start = start_on(resource, task, free, given_[task]);
        place.end = place.start + situation_.cost(graph_, task, resource);
      }
      free = place.end;
    }
    take_back_late(resource);
  }

  const CostGraph& graph_;
  StageIn stage_in_;
  Situation situation_;
  std::vector<std::uint32_t> missing_;       // by task: inputs still missing
  std::vector<Time> given_;                  // by task: when it was last given to a resource
  std::vector<std::vector<TaskId>> queues_;  // by resource: given tasks that are not done
  std::vector<TaskId> ready_;
  std::vector<LostRun> lost_;
  std::size_t finished_ = 0;
};

}  // namespace

std::optional<Schedule> run_min_min(const CostGraph& graph, Time now, std::vector<ResourceId> pool,
                                    std::span<const Event> events, StageIn stage_in,
                                    std::vector<LostRun>* lost) {
  MinMin min_min(graph, now, std::move(pool), stage_in);
  auto schedule = min_min.run(events);
  if (lost != nullptr) *lost = min_min.lost();
  return schedule;
}

}  // namespace dovetail::planning
