// A critical path for as long as it stays the same, so that growing its tasks costs little.
//
// CPA asks for the best task of the path in every step. On a short path looking at all of them is
// fastest. But on a chain of thousands of tasks the path never changes, and looking at every task
// for every processor given away would take hours. This keeps the tasks in a heap by gain, and for
// each place of the path the margin by which it beats the next best way to go on.
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
  // Whether the first task should be grown rather than the second: a strict order.
  using Better = std::function<bool(TaskId, TaskId)>;

  // margins[i] is what the rest of the path from place i on may lose before another way might be
  // longer; there is one for each task.
  SteadyPath(const std::vector<TaskId>& tasks, std::vector<Duration> margins, Better better);

  TaskId best() const { return heap_.front().task; }

  // To be told after best() was grown and became shorter. False when the path may have changed;
  // then this object is of no more use.
  bool shortened(Duration by);

 private:
  struct Entry {
    TaskId task;
    std::size_t place;
  };

  static constexpr std::size_t kBlock = 64;

  bool worse(const Entry& a, const Entry& b) const { return better_(b.task, a.task); }
  bool lower_margins(std::size_t last, Duration by);

  Better better_;
  std::vector<Entry> heap_;  // the best at the front
  // Margins change for all places up to one; blocks make that cheap.
  std::vector<Duration> margins_;  // without what their block has lost as a whole
  std::vector<Duration> lost_;     // by each block as a whole
  std::vector<Duration> least_;    // margin of each block, with everything lost
};

}  // namespace dovetail
