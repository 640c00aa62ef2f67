// Follows a critical path while it stays the same, so that growing its tasks costs little.
//
// CPA needs the best task of the path in every step. On a short path, scanning all tasks is
// fastest. But on a chain of thousands of tasks the path never changes, and scanning every task for
// every processor given would take hours. This class keeps the tasks in a heap by gain, and for
// each place of the path the margin by which it beats the next best continuation.
//
//   SteadyPath path(tasks, margins, better);
//   TaskId best = path.best();
//   grow(best);
//   if (!path.shortened(by)) find_the_path_anew();
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "dovetail/workflow.hpp"

namespace dovetail {

class SteadyPath {
 public:
  // Whether the first task should grow rather than the second: a strict order.
  using Better = std::function<bool(TaskId, TaskId)>;

  // margins[i] is how much the rest of the path from place i on may lose before another path might
  // be longer; one for each task.
  SteadyPath(const std::vector<TaskId>& tasks, std::vector<Duration> margins, Better better);

  TaskId best() const { return heap_.front().task; }

  // Call after best() has grown and become shorter. False when the path may have changed; then this
  // object must not be used any more.
  bool shortened(Duration by);

 private:
  struct QueuedTask {
    TaskId task;
    std::size_t place;
  };

  static constexpr std::size_t kBlock = 64;

  bool worse(const QueuedTask& a, const QueuedTask& b) const { return better_(b.task, a.task); }
  bool lower_margins(std::size_t last, Duration by);

  Better better_;
  std::vector<QueuedTask> heap_;  // the best at the front
  // A step changes the margins of all places up to one; blocks make that cheap.
  std::vector<Duration> margins_;  // not counting the loss of their whole block
  std::vector<Duration> lost_;     // loss of each whole block
  std::vector<Duration> least_;    // smallest margin of each block, all losses counted
};

}  // namespace dovetail
