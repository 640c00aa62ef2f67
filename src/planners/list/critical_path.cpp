#include "planners/list/critical_path.hpp"

#include <algorithm>
#include <cassert>

namespace dovetail::planning {

CriticalPath::CriticalPath(const Workflow& workflow, const std::vector<Duration>& durations)
    : nodes_(workflow.size()), levels_(workflow.size()) {
  std::uint32_t greatest_height = 0;
  const auto order = workflow.topological_order();
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    Node& node = nodes_[*task];
    node.duration = durations[*task];
    node.successors = workflow.successors(*task);
    for (TaskId next : node.successors) {
      node.height = std::max(node.height, nodes_[next].height + 1);
    }
    greatest_height = std::max(greatest_height, node.height);
    choose_next(node);
    levels_[*task] = node.duration + node.below;
  }
  for (TaskId task = 0; task < workflow.size(); ++task) {
    if (workflow.predecessors(task).empty()) entries_.push_back(task);
  }
  top_.successors = entries_;
  choose_next(top_);
  changed_below_.assign(greatest_height + 1, 0);
  stack_.resize(greatest_height + 1);
}

void CriticalPath::shorten(TaskId task, Duration duration) {
  set_duration(task, duration);
  std::fill(changed_below_.begin() + nodes_[task].height + 1, changed_below_.end(), round_ + 1);
}

void CriticalPath::set_duration(TaskId task, Duration duration) {
  Node& node = nodes_[task];
  assert(duration <= node.duration && "tasks only get shorter");
  levels_[task] -= node.duration - duration;
  node.duration = duration;
}

void CriticalPath::changed() {
  std::fill(changed_below_.begin() + 1, changed_below_.end(), round_ + 1);
}

bool CriticalPath::find() {
  ++round_;
  same_ = true;
  do {
    verify(top_.next);
  } while (!settle(top_));
  return same_;
}

std::vector<TaskId> CriticalPath::tasks() const {
  std::vector<TaskId> tasks;
  for (TaskId task = first(); task != kEnd; task = next(task)) tasks.push_back(task);
  return tasks;
}

std::vector<Duration> CriticalPath::margins() const {
  std::vector<Duration> margins;
  for (const Node* node = &top_; node->next != kEnd; node = &nodes_[node->next]) {
    margins.push_back(node->below - node->second);
  }
  return margins;
}

// Makes the task's level exact. Uses an explicit stack, since a path may be a million tasks long.
void CriticalPath::verify(TaskId task) {
  if (exact(nodes_[task])) return;
  TaskId* top = stack_.data();
  *top = task;
  for (;;) {
    Node& node = nodes_[*top];
    if (node.next != kEnd) {
      if (!exact(nodes_[node.next])) {
        *++top = node.next;
        continue;
      }
      if (!settle(node)) continue;
      levels_[*top] = node.duration + node.below;
    }
    node.verified = round_;
    if (top == stack_.data()) return;
    --top;
  }
}

// Applies the exact level of the node's next task. False when another task became the next one,
// whose level may not be exact.
inline bool CriticalPath::settle(Node& node) {
  const Duration level = levels_[node.next];
  if (level > node.second || level == node.below) {
    node.below = level;
    return true;
  }
  same_ = false;
  choose_next(node);
  return false;
}

inline void CriticalPath::choose_next(Node& node) const {
  TaskId next = kEnd;
  Duration greatest = -1;
  Duration second = -1;
  for (TaskId task : node.successors) {
    const Duration level = levels_[task];
    const bool higher = level > greatest;
    second = higher ? greatest : std::max(second, level);
    next = higher ? task : next;
    greatest = higher ? level : greatest;
  }
  node.next = next;
  node.below = std::max<Duration>(greatest, 0);
  node.second = second;
}

}  // namespace dovetail::planning
