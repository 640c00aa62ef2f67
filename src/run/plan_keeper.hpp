// The plan of a run: the first one, and when and why a new one is made.
//
//   PlanKeeper keeper(problem, options);
//   keeper.add_reason("solve is late");
//   keeper.ask(book);        // when there is a reason, and not too often
//   poll(keeper.descriptor()); keeper.hear(book);
#pragma once

#include <string>
#include <vector>

#include "run/replanner.hpp"
#include "run/run_options.hpp"
#include "run/task_book.hpp"

namespace dovetail::run {

class PlanKeeper {
 public:
  // Both must outlive it.
  PlanKeeper(const Problem& problem, const RunOptions& options);

  // Why the rest should be planned again; a static plan stays all the same.
  void add_reason(std::string reason);

  // Why it must be, and at once.
  void add_need(std::string reason);

  // Makes the first plan unless there is one, and sees to tasks that the one there is has no place
  // for. Throws ExecutionError when there is none.
  void begin(TaskBook& book);

  // Asks for a new plan if there is a reason to, in a thread of its own.
  void ask(const TaskBook& book);

  // Takes the answer, if there is one. Readable when there may be.
  void hear(TaskBook& book);
  int descriptor() const { return replanner_.descriptor(); }

  // When ask() will ask; kForever: not before there is another reason or the answer.
  Time next_question() const;

  // Whether a new plan is being thought about or will be.
  bool is_thinking() const { return replanner_.is_busy() || !reasons_.empty(); }

 private:
  const Problem& problem_;
  const RunOptions& options_;
  Replanner replanner_;
  std::vector<std::string> reasons_;
  Time not_before_ = 0;
};

}  // namespace dovetail::run
