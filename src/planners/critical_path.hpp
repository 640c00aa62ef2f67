// The critical path of a workflow whose tasks only ever get shorter.
//
// CPA asks for the path after every small change, thousands of times. Recomputing all bottom levels
// each time is wasteful: only the ancestors of the changed task change, and of those only the ones
// near the top matter. So levels are kept as upper bounds (tasks only shrink) and made exact on
// demand, from the entry down, along the path alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dovetail/workflow.hpp"

namespace dovetail {

class CriticalPath {
 public:
  CriticalPath(const Workflow& workflow, std::vector<Duration> durations);

  // The new duration must not exceed the old one.
  void shorten(TaskId task, Duration duration);

  Duration duration(TaskId task) const { return nodes_[task].duration; }

  // The path from the entry of greatest bottom level to an exit, at each task on to the successor
  // of greatest bottom level, ties to the lower number. Valid until the next call.
  std::span<const TaskId> find();

  // The length of the path that find() answered last.
  Duration length() const { return length_; }

 private:
  static constexpr TaskId kNone = static_cast<TaskId>(-1);

  // level = duration + below is never less than the task's bottom level, and equal to it when the
  // task was verified in this round. `below` is the level that `next`, the successor of greatest
  // level, had when it was chosen; since levels only fall, nobody else can have overtaken it
  // unless it fell itself.
  struct Node {
    Duration duration = 0;
    Duration below = 0;
    TaskId next = kNone;
    std::uint32_t verified = 0;
    Duration level() const { return duration + below; }
  };

  void choose_next(TaskId task);
  void verify(TaskId task);
  TaskId highest(std::span<const TaskId> tasks) const;

  const Workflow& workflow_;
  std::vector<Node> nodes_;
  std::vector<TaskId> entries_;
  std::vector<TaskId> path_;
  std::vector<TaskId> stack_;
  TaskId entry_ = kNone;
  Duration entry_level_ = 0;
  Duration length_ = 0;
  std::uint32_t round_ = 0;
};

}  // namespace dovetail
