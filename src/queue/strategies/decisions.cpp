#include "queue/strategies/decisions.hpp"

#include <algorithm>

namespace dovetail::queue {

TaskSet Cutting::open_tasks(const Desk& desk) const {
  std::vector<TaskId> open;
  for (TaskId task = 0; task < tasks().size(); ++task) {
    if (desk.state(task) == TaskStage::open) open.push_back(task);
  }
  return make_set(tasks(), std::move(open));
}

TaskSet Cutting::on_levels(const TaskSet& set, std::uint32_t first, std::uint32_t last) const {
  std::vector<TaskId> chosen;
  for (const TaskId task : set.tasks) {
    const std::uint32_t level = tasks().level(task);
    if (level >= first && level <= last) chosen.push_back(task);
  }
  return make_set(tasks(), std::move(chosen));
}

std::vector<std::uint32_t> Cutting::levels_of(const TaskSet& set) const {
  std::vector<std::uint32_t> levels;
  for (const TaskId task : set.tasks) levels.push_back(tasks().level(task));
  std::ranges::sort(levels);
  const auto repeated = std::ranges::unique(levels);
  levels.erase(repeated.begin(), repeated.end());
  return levels;
}

bool Cutting::is_ready(const Desk& desk, TaskId task) const {
  return std::ranges::all_of(tasks().parents(task),
                             [&](TaskId parent) { return desk.state(parent) == TaskStage::done; });
}

Duration Cutting::request(Duration length) const {
  if (options_.requests == RequestRule::exact) return length;
  if (options_.requests == RequestRule::minutes) {
    return (length + kJobOverhead + kMinute - 1) / kMinute * kMinute;
  }
  // A tenth more, then the next whole minute; in whole numbers, so that no machine rounds it its
  // own way.
  return kMinute * (1 + 11 * length / (10 * kMinute));
}

Duration Cutting::delay(const Desk& desk) const {
  const Duration spare = options_.requests == RequestRule::authors ? 60 * kSecond : 0;
  Duration delay = 0;
  for (const LivePilot& pilot : desk.live()) {
    if (pilot.start) {
      delay = std::max(delay, *pilot.start + pilot.request - spare - desk.now());
    }
  }
  return delay;
}

Count Cutting::most_nodes(const WaitEstimator& queue, const TaskSet& set) {
  return std::max(set.least_nodes, std::min(set.width, queue.nodes()));
}

Count Cutting::best_nodes(const WaitEstimator& queue, const TaskSet& set, Duration delay) const {
  Count best = 0;
  Duration best_score = 0;
  const Count most = most_nodes(queue, set);
  for (Count nodes = set.least_nodes; nodes <= most; ++nodes) {
    if (best != 0) {
      // Waits never shrink with the length, so that a short length bounds the score from below.
      const Duration least = shortest_run(set, nodes) / kSecond * kSecond;
      if (std::max(delay, queue.wait(nodes, least)) + least >= best_score) continue;
    }
    const Duration length = run(set, nodes);
    const Duration score = std::max(delay, queue.wait(nodes, length)) + length;
    if (best == 0 || score < best_score) {
      best = nodes;
      best_score = score;
    }
  }
  return best;
}

void Cutting::submit_best(Desk& desk, const TaskSet& set) const {
  const Count nodes = best_nodes(desk.queue(), set, 0);
  submit(desk, set, nodes, run(set, nodes));
}

void Cutting::submit_ready_tasks(Desk& desk) const {
  for (TaskId task = 0; task < tasks().size(); ++task) {
    if (!may_submit(desk)) return;
    if (desk.state(task) != TaskStage::open || !is_ready(desk, task)) continue;
    desk.submit({{task}, tasks().nodes(task), request(tasks().time(task))});
  }
}

}  // namespace dovetail::queue
