// A bound on how good a plan can be, with a certificate that anyone can check.
//
//   LowerBound bound(view, calendar, now);
//   Certificate proof = bound.on_end(end_of_best_plan);   // no plan ends by proof.end
//   Certificate cheap = bound.on_work(deadline);          // none in time consumes less than
//   cheap.work
//
// The end is found by bisection. A time is impossible when some task does not fit into its window,
// or when tasks must do more work than there are free processors: all tasks, those that can only
// start late, or those that must end early.
#pragma once

#include <functional>
#include <optional>

#include "dovetail/certificate.hpp"
#include "planners/list/cluster_view.hpp"
#include "planners/task_limits.hpp"

namespace dovetail::planning {

// The view and calendar must outlive it.
class LowerBound {
 public:
  LowerBound(const ClusterView& view, const Calendar& calendar, Time now);

  // Restricts the bounds to plans that consume at most this.
  void set_budget(Area budget) { budget_ = budget; }

  // A time by which no plan ends, from the longest path alone. Cheap.
  Certificate on_end() const;

  // A later bound, to within a 2000th of the turn-around of a plan that ends at `known` (a 100th
  // for very many tasks), unless time runs out. `so_far` is the result of on_end before.
  Certificate on_end(Time known, Certificate so_far, const std::function<bool()>& is_over) const;

  // Needs a plan that ends by `end`.
  Certificate on_work(Time end) const;

  // Widths that need little work if the plan is to end by `end`; nothing when it cannot.
  std::optional<std::vector<Count>> widths_for(Time end) const;

  // The earliest possible end by the paths alone.
  Time path_end() const { return path_end_; }

 private:
  class WindowFlow;

  // For each task of a plan that must end by a given time: the earliest start `ready`, the latest
  // end `due`, and the fewest processors on which it can run, on a calendar without our tasks.
  // Every bound starts from these.
  struct TimeWindows {
    bool is_possible = false;  // false: some task does not fit into its window, so there is no plan
    std::vector<Time> ready = {};  // by task
    std::vector<Time> due = {};
    std::vector<Count> fewest = {};
  };

  // The earliest starts by task, and the earliest ends. They do not depend on when the plan must
  // end.
  struct Heads {
    std::vector<Time> ready = {};
    std::vector<Time> ends = {};  // kForever: it never fits
  };

  Heads find_heads() const;
  TimeWindows windows_by(Time end) const;
  std::optional<Certificate> prove_impossible(Time end) const;
  std::optional<Certificate> prove_impossible(Time end, const TimeWindows& windows,
                                              Interval span) const;
  double room(Interval window) const;
  bool has_few_tasks() const { return view_.size() <= kFewTasks; }

  const ClusterView& view_;
  const Calendar& calendar_;
  Time now_;
  std::optional<Area> budget_;
  Heads heads_;
  Time path_end_ = 0;
};

}  // namespace dovetail::planning
