#include "queue/strategies/run_times.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

namespace dovetail {

std::vector<std::uint32_t> pick_order(const LeveledTasks& tasks, Pick pick) {
  std::vector<TaskId> sorted(tasks.size());
  std::iota(sorted.begin(), sorted.end(), TaskId{0});
  std::ranges::stable_sort(sorted, [&](TaskId a, TaskId b) {
    return pick == Pick::shortest ? tasks.time(a) < tasks.time(b) : tasks.time(a) > tasks.time(b);
  });
  std::vector<std::uint32_t> order(tasks.size());
  for (std::uint32_t i = 0; i < sorted.size(); ++i) order[sorted[i]] = i;
  return order;
}

RunTimes::RunTimes(const LeveledTasks& tasks, Pick pick)
    : tasks_(tasks),
      pick_(pick),
      order_(pick_order(tasks, pick)),
      task_at_(tasks.size()),
      waits_for_(tasks.size()),
      in_set_(tasks.size()) {
  for (TaskId task = 0; task < tasks.size(); ++task) task_at_[order_[task]] = task;
}

Duration RunTimes::run(const TaskSet& set, Count nodes) {
  assert(!set.tasks.empty() && nodes >= 1);
  if (!set.whole_levels) return schedule(set, nodes);
  std::vector<Duration>& known = known_[{set.first_level, set.last_level}];
  const auto index = static_cast<std::size_t>(nodes);
  if (known.size() <= index) known.resize(index + 1);
  if (known[index] == 0) known[index] = schedule(set, nodes);
  return known[index];
}

void RunTimes::count_parents(const TaskSet& set) {
  for (const TaskId task : set.tasks) in_set_[task] = 1;
  for (const TaskId task : set.tasks) {
    std::uint32_t parents = 0;
    for (const TaskId parent : tasks_.parents(task)) parents += in_set_[parent] != 0 ? 1U : 0U;
    waits_for_[task] = parents;
  }
}

Duration RunTimes::schedule(const TaskSet& set, Count nodes) {
  count_parents(set);
  std::vector<std::uint32_t> ready;  // heap of positions, the preferred task on top
  for (const TaskId task : set.tasks) {
    if (waits_for_[task] == 0) ready.push_back(order_[task]);
  }
  std::make_heap(ready.begin(), ready.end(), std::greater<>());
  using Running = std::pair<Duration, TaskId>;
  std::vector<Running> running;  // heap, the first to end on top
  Duration now = 0;
  Count idle = nodes;
  for (;;) {
    while (idle > 0 && !ready.empty()) {
      std::pop_heap(ready.begin(), ready.end(), std::greater<>());
      const TaskId task = task_at_[ready.back()];
      ready.pop_back();
      running.emplace_back(now + tasks_.time(task), task);
      std::push_heap(running.begin(), running.end(), std::greater<>());
      --idle;
    }
    if (running.empty()) break;
    now = running.front().first;
    while (!running.empty() && running.front().first == now) {
      std::pop_heap(running.begin(), running.end(), std::greater<>());
      const TaskId done = running.back().second;
      running.pop_back();
      ++idle;
      for (const TaskId child : tasks_.children(done)) {
        if (in_set_[child] == 0 || --waits_for_[child] > 0) continue;
        ready.push_back(order_[child]);
        std::push_heap(ready.begin(), ready.end(), std::greater<>());
      }
    }
  }
  for (const TaskId task : set.tasks) in_set_[task] = 0;
  return now;
}

}  // namespace dovetail
