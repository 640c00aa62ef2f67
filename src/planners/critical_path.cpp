#include "planners/critical_path.hpp"

#include <cassert>

namespace dovetail {

CriticalPath::CriticalPath(const Workflow& workflow, std::vector<Duration> durations)
    : workflow_(workflow), nodes_(workflow.size()) {
  const auto order = workflow.topological_order();
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    nodes_[*task].duration = durations[*task];
    choose_next(*task);
  }
  for (TaskId task = 0; task < workflow.size(); ++task) {
    if (workflow.predecessors(task).empty()) entries_.push_back(task);
  }
  entry_ = highest(entries_);
  entry_level_ = nodes_[entry_].level();
}

void CriticalPath::shorten(TaskId task, Duration duration) {
  assert(duration <= nodes_[task].duration && "tasks only get shorter");
  nodes_[task].duration = duration;
}

std::span<const TaskId> CriticalPath::find() {
  ++round_;
  for (;;) {
    verify(entry_);
    const Duration level = nodes_[entry_].level();
    if (level == entry_level_) break;
    entry_ = highest(entries_);
    entry_level_ = nodes_[entry_].level();
  }
  length_ = entry_level_;
  path_.clear();
  for (TaskId task = entry_; task != kNone; task = nodes_[task].next) path_.push_back(task);
  return path_;
}

// Makes the task's level exact. A stack of its own, since a path may be a million tasks long.
void CriticalPath::verify(TaskId task) {
  stack_.assign(1, task);
  while (!stack_.empty()) {
    const TaskId current = stack_.back();
    Node& node = nodes_[current];
    if (node.verified == round_ || node.next == kNone) {
      node.verified = round_;
      stack_.pop_back();
    } else if (nodes_[node.next].verified != round_) {
      stack_.push_back(node.next);
    } else if (nodes_[node.next].level() == node.below) {
      node.verified = round_;
      stack_.pop_back();
    } else {
      choose_next(current);
    }
  }
}

void CriticalPath::choose_next(TaskId task) {
  Node& node = nodes_[task];
  node.next = highest(workflow_.successors(task));
  node.below = node.next == kNone ? 0 : nodes_[node.next].level();
}

TaskId CriticalPath::highest(std::span<const TaskId> tasks) const {
  TaskId best = kNone;
  Duration level = -1;
  for (TaskId task : tasks) {
    if (nodes_[task].level() > level) {
      level = nodes_[task].level();
      best = task;
    }
  }
  return best;
}

}  // namespace dovetail
