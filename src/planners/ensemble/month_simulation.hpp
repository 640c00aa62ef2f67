// What an ensemble does on one cluster, month by month: exact, event by event.
//
//   const MonthResult result = simulate_months(problem, grouping, Dispatch::rotate);
//   result.makespan;   // the end of the last task
//
// Source: Caniou et al. 2009, sections 4 and 5; the order within an instant is that of
// docs/ensembles.md. Groups keep their processors for months as long as there are months to start;
// then each gives them to post tasks when it becomes idle. When the disk runs short, no month is
// started until those that run have ended and all post tasks have run on all processors.
#pragma once

#include <cstdint>
#include <vector>

#include "planners/ensemble/grouping.hpp"

namespace dovetail::planning {

struct MonthRun {
  enum class RunKind : std::uint8_t { main, post };
  RunKind kind = RunKind::main;
  std::uint32_t scenario = 0;
  Count month = 0;          // from 0
  std::uint32_t group = 0;  // of a main task
  Count processor = 0;      // of a post task; the first one of a main task
  Time start = 0;
  Time end = 0;
  friend bool operator==(const MonthRun&, const MonthRun&) = default;
};

struct MonthResult {
  Duration makespan = 0;
  Duration main_end = 0;  // of the last main task
  Count flushes = 0;      // how often all waited for the disk
  // The disk was full of archives, and this many months were done; else all are.
  bool is_stuck = false;
  std::int64_t months_done = 0;
  std::vector<MonthRun> runs = {};  // by start, when they were asked for
};

enum class KeepRuns { no, yes };

// Needs groups of allowed sizes that fit into the problem's processors.
MonthResult simulate_months(const MonthProblem& problem, const Grouping& grouping,
                            Dispatch dispatch, KeepRuns keep = KeepRuns::no);

}  // namespace dovetail::planning
