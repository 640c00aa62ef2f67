// Proof that no plan can be better: numbers from which anyone can recompute a bound, without
// trusting the search that found them.
//
// A certificate states one of two things about a problem on one cluster:
//   no plan ends by `end`, or none that consumes at most `budget`   (turn-around)
//   every plan that ends by `end` consumes at least `work`          (CPU time)
//
// For each task it holds the time before which the task cannot start (`ready`) and the time by
// which it must have ended (`due`) if the plan ends by `end`. It also holds a flow along the edges
// of the workflow. A path through the tasks takes no longer than the time from the `ready` of its
// first task to the `due` of its last. With flow f through a task, its work m T(m) is (m + f) T(m)
// less f T(m), and the sum of f T(m) is at most the sum over all paths of flow times window. So the
// work is at least
//
//   sum over tasks of min over m of (m + f) T(m), less the sum over paths of flow times window,
//
// and no plan ends by `end` when this sum exceeds the budget, or exceeds what is free between
// `span.begin` and `span.end`, counting only tasks whose windows lie within the span. A certificate
// without lists says that some task does not fit into its window at all. docs/anytime.md explains
// it with a picture.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dovetail/time.hpp"

namespace dovetail {

class Problem;

struct Certificate {
  // Flows are whole multiples of 1/kUnit of a processor, so all sums are exact.
  static constexpr std::int64_t kUnit = 1 << 16;

  Time end = 0;
  Area work = 0;                    // 0: the certificate bounds the end
  std::optional<Area> budget = {};  // CPU time limit of the plans it covers; nothing: no limit
  Interval span = {};               // counts only tasks whose windows lie within
  std::vector<Time> ready = {};     // by workflow, then by task
  std::vector<Time> due = {};
  std::vector<std::int64_t> begin_flow = {};  // same order: paths that begin, or end, at a task
  std::vector<std::int64_t> end_flow = {};
  std::vector<std::int64_t> edge_flow = {};  // by edge: by task, then in order of its predecessors
  friend bool operator==(const Certificate&, const Certificate&) = default;
};

// Says in one sentence what is wrong with the certificate; empty if it proves its statement. Shares
// no code with the planners or the calendar. Needs a problem with one cluster and no transfers.
std::string refute(const Problem& problem, const Certificate& certificate);

}  // namespace dovetail
