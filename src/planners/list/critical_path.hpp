// The critical path of a workflow whose tasks only ever get shorter.
//
// CPA needs the path after every small change, thousands of times. Recomputing all bottom levels
// each time is wasteful: only ancestors of the changed task change, and only those near the top
// matter. So levels are kept as upper bounds (tasks only shrink) and made exact on demand, from the
// entry down, along the path only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dovetail/workflow.hpp"

namespace dovetail::planning {

class CriticalPath {
 public:
  CriticalPath(const Workflow& workflow, const std::vector<Duration>& durations);

  // The new duration must not exceed the old one.
  void shorten(TaskId task, Duration duration);

  // The same for many tasks in a row, with one call of changed() after the last of them.
  void set_duration(TaskId task, Duration duration);
  void changed();

  Duration duration(TaskId task) const { return nodes_[task].duration; }

  // Updates the path. It leads from the entry with the greatest bottom level to an exit, at each
  // task to the successor with the greatest bottom level; ties go to the lower number. True when
  // the path is certainly the same as before.
  bool find();

  // The tasks of the path. The margins say how much each task and those after it may lose together
  // before another path might be longer.
  std::vector<TaskId> tasks() const;
  std::vector<Duration> margins() const;

  // The path that find() found last: its length, its first task, and the task after each.
  static constexpr TaskId kEnd = static_cast<TaskId>(-1);
  Duration length() const { return top_.below; }
  TaskId first() const { return top_.next; }
  TaskId next(TaskId task) const { return nodes_[task].next; }

 private:
  // levels_[task] is never less than the task's bottom level. `below` is the level that `next`, the
  // successor of greatest level, had when it was last looked at, and `second` the greatest level
  // of the others at that time or before; since levels only fall, no task can have overtaken `next`
  // as long as it stays above `second`.
  // One cache line each: the walk jumps from node to node.
  struct alignas(64) Node {
    Duration duration = 0;
    Duration below = 0;
    Duration second = -1;
    std::span<const TaskId> successors;
    TaskId next = kEnd;
    std::uint32_t height = 0;    // edges on the longest way to an exit
    std::uint64_t verified = 0;  // the last round in which the level was made exact
  };

  // Whether the level is exact: no task that can lie below this one has changed since.
  bool exact(const Node& node) const { return node.verified >= changed_below_[node.height]; }

  void choose_next(Node& node) const;
  bool settle(Node& node);
  void verify(TaskId task);

  std::vector<Node> nodes_;
  std::vector<Duration> levels_;
  std::vector<TaskId> entries_;
  Node top_;  // above all entries, without duration
  std::vector<TaskId> stack_;
  // By height: the last round in which a task of lesser height was shortened.
  std::vector<std::uint64_t> changed_below_;
  std::uint64_t round_ = 0;
  bool same_ = true;  // the path did not change in this round
};

}  // namespace dovetail::planning
