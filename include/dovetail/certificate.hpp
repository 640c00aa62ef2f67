// Why no plan can be better: numbers from which a reader can compute a bound, without trusting the
// search that found them.
//
// A certificate says one of two things about a problem on one cluster:
//   no plan ends by `end`, or none that consumes at most `budget`   (turn-around)
//   every plan that ends by `end` consumes at least `work`          (CPU time)
//
// It holds, for each task, the moments before which it cannot start (`ready`) and after which it
// must have ended (`due`) if the plan ends by `end`; and a flow along the edges of the workflow. A
// path through the tasks takes no longer than from the `ready` of its first to the `due` of its
// last. With flow f through a task, its work m T(m) is (m + f) T(m) less f T(m), and the sum of f
// T(m) is at most the sum over paths of their flow times their window. So the work is at least
//
//   sum over tasks of min over m of (m + f) T(m), less the sum over paths of flow times window,
//
// and no plan ends by `end` when that is more than the budget, or than what is free between
// `span.begin` and `span.end` of the tasks whose windows lie between the two. Without lists:
// some task does not fit into its window at all. docs/anytime.md tells it with a picture.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dovetail/time.hpp"

namespace dovetail {

class Problem;

struct Certificate {
  // Flows are whole multiples of 1/kUnit of a processor, so that all sums are exact.
  static constexpr std::int64_t kUnit = 1 << 16;

  Time end = 0;
  Area work = 0;                    // 0: it is about the end
  std::optional<Area> budget = {};  // that the plans it speaks of may consume; nothing: any
  Interval span = {};               // tasks whose windows lie within are counted, and no others
  std::vector<Time> ready = {};     // by workflow, then by task
  std::vector<Time> due = {};
  std::vector<std::int64_t> begin_flow = {};  // the same: of paths that begin, or end, at the task
  std::vector<std::int64_t> end_flow = {};
  std::vector<std::int64_t> edge_flow = {};  // by edge: task by task, in order of predecessors
  friend bool operator==(const Certificate&, const Certificate&) = default;
};

// What is wrong with it, one sentence; empty: it proves what it says. Shares no code with the
// planners and the calendar. Needs a problem with one cluster and no transfers.
std::string refute(const Problem& problem, const Certificate& certificate);

}  // namespace dovetail
