#include "batch/pilot_tasks.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace dovetail::batch {

PilotTasks::PilotTasks(const PilotOrder& order) : tasks_(order.tasks.size()) {
  std::unordered_map<std::uint32_t, std::size_t> inside;
  for (std::size_t i = 0; i < tasks_.size(); ++i) inside.emplace(order.tasks[i].command.task, i);
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    tasks_[i].expected = order.tasks[i].expected;
    open_.emplace(tasks_[i].expected, i);
    const std::set<std::uint32_t> after(order.tasks[i].after.begin(), order.tasks[i].after.end());
    tasks_[i].waits_for = static_cast<std::uint32_t>(after.size());
    for (const std::uint32_t before : after) {
      const auto found = inside.find(before);
      (found == inside.end() ? outside_[before] : tasks_[found->second].next).push_back(i);
    }
  }
  rank(order.picks_longest);
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (tasks_[i].waits_for == 0) ready_.insert(tasks_[i].place);
  }
}

void PilotTasks::rank(bool longest_first) {
  task_at_.resize(tasks_.size());
  std::iota(task_at_.begin(), task_at_.end(), std::size_t{0});
  std::ranges::stable_sort(task_at_, [&](std::size_t a, std::size_t b) {
    return longest_first ? tasks_[a].expected > tasks_[b].expected
                         : tasks_[a].expected < tasks_[b].expected;
  });
  for (std::uint32_t place = 0; place < task_at_.size(); ++place) {
    tasks_[task_at_[place]].place = place;
  }
}

bool PilotTasks::has_circle() const {
  PilotTasks copy = *this;
  for (const std::uint32_t task : awaited()) copy.found_done(task);
  while (const auto next = copy.pick(kForever)) copy.succeed(*next);
  return !copy.are_all_done();
}

std::optional<std::size_t> PilotTasks::pick(Duration left) {
  give_up_what_does_not_fit(left);
  if (ready_.empty()) return std::nullopt;
  const std::size_t index = task_at_[*ready_.begin()];
  close(index);
  return index;
}

void PilotTasks::succeed(std::size_t index) {
  ++done_;
  for (const std::size_t next : tasks_[index].next) release(next);
}

void PilotTasks::fail(std::size_t index) {
  has_failure_ = true;
  give_up_next(index);
}

std::vector<std::uint32_t> PilotTasks::awaited() const {
  std::vector<std::uint32_t> awaited;
  for (const auto& [task, waiting] : outside_) {
    const bool is_needed =
        std::ranges::any_of(waiting, [&](std::size_t index) { return tasks_[index].is_open; });
    if (is_needed) awaited.push_back(task);
  }
  return awaited;
}

void PilotTasks::found_done(std::uint32_t task) {
  const auto found = outside_.find(task);
  if (found == outside_.end()) return;
  for (const std::size_t index : found->second) release(index);
  outside_.erase(found);
}

bool PilotTasks::can_go_on(Duration left) {
  give_up_what_does_not_fit(left);
  return !open_.empty();
}

void PilotTasks::release(std::size_t index) {
  Task& task = tasks_[index];
  if (--task.waits_for == 0 && task.is_open) ready_.insert(task.place);
}

void PilotTasks::close(std::size_t index) {
  Task& task = tasks_[index];
  task.is_open = false;
  ready_.erase(task.place);
  open_.erase({task.expected, index});
}

void PilotTasks::give_up_next(std::size_t index) {
  std::vector<std::size_t> lost = tasks_[index].next;
  while (!lost.empty()) {
    const std::size_t next = lost.back();
    lost.pop_back();
    if (!tasks_[next].is_open) continue;
    close(next);
    lost.insert(lost.end(), tasks_[next].next.begin(), tasks_[next].next.end());
  }
}

void PilotTasks::give_up_what_does_not_fit(Duration left) {
  while (!open_.empty() && open_.rbegin()->first > left) {
    const std::size_t index = open_.rbegin()->second;
    close(index);
    give_up_next(index);
  }
}

}  // namespace dovetail::batch
