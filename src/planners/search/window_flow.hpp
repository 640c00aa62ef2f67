// The least work of a plan that ends in time: a bound by flows.
//
// Tasks that follow each other must fit between the earliest start of the first and the latest end
// of the last. Making them short makes them wide, and wide tasks consume more. With a weight g on
// each path, and f the sum of the weights on the paths through a task,
//
//   work = sum m T(m) >= sum over tasks of min over m of (m + f) T(m)  -  sum over paths g window
//
// for any weights. They are chosen to make the right side large, by pushing flow onto the path that
// violates its window most with the currently cheapest widths. The final widths are also a good
// allocation to start a search from.
//
//   WindowFlow flow(view, windows);
//   flow.push(200);
//   double work = flow.work();     // processor-milliseconds
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dovetail/calendar.hpp"
#include "dovetail/certificate.hpp"
#include "planners/list/cluster_view.hpp"

namespace dovetail::planning {

// For each task of a plan that must end by a given time: the earliest start `ready`, the latest end
// `due`, and the fewest processors on which it can run, on a calendar without our tasks. Every
// bound starts from these.
struct TimeWindows {
  bool is_possible = false;  // false: some task does not fit into its window, so there is no plan
  std::vector<Time> ready = {};  // by task
  std::vector<Time> due = {};
  std::vector<Count> fewest = {};
};

// The earliest starts by task, and the earliest ends. They do not depend on when the plan must end.
struct Heads {
  std::vector<Time> ready = {};
  std::vector<Time> ends = {};  // kForever: it never fits
};
Heads heads_of(const ClusterView& view, const Calendar& calendar);

TimeWindows windows_by(const ClusterView& view, const Calendar& calendar, const Heads& heads,
                       Time end);

class WindowFlow {
 public:
  // Flows are whole multiples of 1/kUnit of a processor, so that inflow equals outflow exactly.
  static constexpr std::int64_t kUnit = Certificate::kUnit;

  // For all tasks, or for those whose windows lie within `span`. The view and windows, which must
  // be possible, must outlive it.
  WindowFlow(const ClusterView& view, const TimeWindows& windows);
  WindowFlow(const ClusterView& view, const TimeWindows& windows, Interval span);

  // Pushes flow along `rounds` paths, or fewer when nothing is gained any more.
  void push(int rounds);

  // The least total consumption of the tasks.
  double work() const { return work_; }

  // The same in whole processor-milliseconds, as plans consume them: exact where no task has very
  // many widths. Looks at each width.
  Area whole_work() const;

  // The cheapest widths under the flow, by task; for tasks outside the span, their fewest.
  std::vector<Count> widths() const;

  struct Flows {
    std::vector<std::int64_t> begin, end;  // by task: of paths that begin or end there
    std::vector<std::int64_t> edges;       // by edge: task by task, in the order of predecessors()
  };
  const Flows& flows() const { return flows_; }

 private:
  struct Width {
    Count procs = 0;
    double length = 0;  // milliseconds, not rounded up
    double cost = 0;    // (m + f) T(m)
  };

  Width cheapest(TaskId task, double flow) const;
  void find_path();
  double excess_with(double more) const;
  std::int64_t best_step() const;
  void add_to_path(std::int64_t flow);
  void update_work();
  Area least_cost(TaskId task) const;

  const ClusterView& view_;
  const TimeWindows& windows_;
  std::vector<char> is_inside_;
  std::vector<std::size_t> first_edge_;  // by task, of those that lead to it
  Flows flows_;
  std::vector<std::int64_t> through_;  // by task
  std::vector<Width> choices_;         // by task
  std::vector<double> reach_;          // scratch: the longest way to the end of each task
  std::vector<TaskId> path_;           // from its first task to its last
  double excess_ = 0;                  // of that path over its window
  double work_ = 0;
};

}  // namespace dovetail::planning
