// What strategies share: open tasks, requests, the best number of nodes.
#pragma once

#include "queue/strategies/strategy.hpp"

namespace dovetail::queue {

// What a strategy is made from.
class Cutting {
 public:
  Cutting(RunTimes& run_times, const StrategyOptions& options)
      : run_times_(run_times), options_(options) {}

  const LeveledTasks& tasks() const { return run_times_.tasks(); }
  const StrategyOptions& options() const { return options_; }
  Duration run(const TaskSet& set, Count nodes) const { return run_times_.run(set, nodes); }

  TaskSet open_tasks(const Desk& desk) const;

  // Those of the set on levels first to last.
  TaskSet on_levels(const TaskSet& set, std::uint32_t first, std::uint32_t last) const;

  // The levels on which the set has tasks, in order.
  std::vector<std::uint32_t> levels_of(const TaskSet& set) const;

  bool is_ready(const Desk& desk, TaskId task) const;

  bool may_submit(const Desk& desk) const {
    return options_.cap == 0 || desk.live_count() < static_cast<std::size_t>(options_.cap);
  }

  // What to ask for when the tasks take `length`.
  Duration request(Duration length) const;

  // By when the running jobs of the workflow are over, as far as their requests tell; from now.
  Duration delay(const Desk& desk) const;

  // The most nodes to ask for: what the tasks can use, if the queue has as many; but never fewer
  // than they need.
  static Count most_nodes(const WaitEstimator& queue, const TaskSet& set);

  // The number of nodes with the least max(delay, wait) + run time; the fewest on a tie.
  Count best_nodes(const WaitEstimator& queue, const TaskSet& set, Duration delay) const;

  void submit(Desk& desk, const TaskSet& set, Count nodes, Duration length) const {
    desk.submit({set.tasks, nodes, request(length)});
  }

  // As one job now, on the best number of nodes.
  void submit_best(Desk& desk, const TaskSet& set) const;

  // Every open task whose parents are done, in file order, as a job of its own, up to the cap.
  void submit_ready_tasks(Desk& desk) const;

 private:
  RunTimes& run_times_;
  StrategyOptions options_;
};

// How each strategy is made; table.cpp is the list.
std::unique_ptr<Strategy> make_one_job_per_task(RunTimes&, const StrategyOptions&);
std::unique_ptr<Strategy> make_one_job(RunTimes&, const StrategyOptions&);
std::unique_ptr<Strategy> make_level_by_level(RunTimes&, const StrategyOptions&);
std::unique_ptr<Strategy> make_zhang(RunTimes&, const StrategyOptions&);
std::unique_ptr<Strategy> make_glume(RunTimes&, const StrategyOptions&);
std::unique_ptr<Strategy> make_glume_plus(RunTimes&, const StrategyOptions&);

}  // namespace dovetail::queue
