// The book of a run on this machine: what happens to a task is written down and told to the
// dispatcher, the monitor and the caller, in one order, whether it happens now or happened before
// this process began.
//
//   TaskBook book(folder, problem, options, on_reason);
//   book.take_over(options.kept, backend);           // what earlier processes left
//   for (auto& command : book.start()) ...           // they begin, after book.sync()
//   book.end(step);
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dovetail/problem.hpp"
#include "run/backend.hpp"
#include "run/dispatcher.hpp"
#include "run/local/local_room.hpp"
#include "run/monitor.hpp"
#include "run/run_book.hpp"

namespace dovetail::run {

class TaskBook : public RunBook {
 public:
  // Reads the journal. All of them must outlive it. `on_reason` hears why the rest should be
  // planned again.
  TaskBook(const RunFolder& folder, const Problem& problem, const RunOptions& options,
           std::function<void(std::string)> on_reason);

  const Dispatcher& dispatcher() const { return dispatcher_; }
  const Monitor& monitor() const { return monitor_; }

  // Whether the plan in force has a place for the task that it can have: a task that was to be left
  // out and has to be run after all is in no plan, and the processors that it may have can have
  // been changed.
  bool is_planned(std::size_t task) const;

  // From the journal and from what supervisors wrote since its last entry: what is done stays done
  // unless something has changed, what failed is asked for again, and what still runs is adopted.
  // What runs and will have to be run again is stopped.
  void take_over(const std::vector<KeptTask>& kept, Backend& backend);

  // Takes the tasks that start now, writes down that they do, and answers their commands; they may
  // begin after sync(). Those that need not or cannot be run are over. Where what tasks read has to
  // be looked at, which may take long, not all are answered at once.
  std::vector<StepCommand> start();

  // Whether start() has more to answer.
  bool is_reading() const { return !to_read_.empty(); }

  // Tasks whose inputs have not been looked at do not start for now.
  void put_back();

  void end(const StepEnd& step);

  // A plan, and how it was judged. A plan that is kept takes as long as is known by now.
  void follow(const Evaluation& decision, const std::string& algorithm,
              const std::vector<planning::Slot>& slots);

  // Tasks that have run for longer than they should are thought to go on.
  void look_for_late_tasks();

  void set_processors(Count processors);

  // Once it is stopping, nothing is tried again.
  void set_stopping();

 private:
  void follow_known_plan();
  using Ends = std::map<std::uint32_t, StepEnd>;  // by task
  void begin_unknown_attempts();
  Ends adopt_steps(Backend& backend) const;
  void take_over(std::uint32_t task, const Ends& ends, Backend& backend);
  void take_over_attempt(std::uint32_t task, const Ends& ends, Backend& backend);
  void take_over_failure(std::uint32_t task);
  void renew(std::uint32_t task, const std::string& why);

  void prepare(std::uint32_t task, std::vector<StepCommand>& commands);
  bool is_kept(std::uint32_t task, const std::string& inputs) const;
  void leave_out(std::uint32_t task);
  void give_back_room(std::uint32_t task);
  void warn_without_leases();
  void end(std::uint32_t task, const AttemptEnd& how);
  void lose(std::uint32_t task);
  void fail(std::uint32_t task);

  const RunOptions& options_;
  const std::function<void(std::string)> on_reason_;
  Dispatcher dispatcher_;
  LocalRoom room_;
  const std::string memory_group_;  // below which tasks get groups that limit their memory
  Monitor monitor_;
  std::deque<std::uint32_t> to_read_;  // taken from the dispatcher, and not begun
  std::set<std::uint32_t> stale_;      // those that run and will have to be run again
  bool has_warned_ = false;
};

}  // namespace dovetail::run
