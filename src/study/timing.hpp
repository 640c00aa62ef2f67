// The run times of planners, measured on this machine, as in Tables 9 and 10 of Aida and Casanova.
//
//   auto tables = measure_run_times(campaign, kBoundNames, Goal::turnaround);
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/problem.hpp"
#include "study/study.hpp"

namespace dovetail {

// The processor time of this thread: other load on the machine does not count.
double thread_seconds();

struct TimingRow {
  std::string_view algorithm;
  std::vector<double> milliseconds;  // by value
};

// Mean milliseconds of processor time to make a plan from scratch, on one thread.
struct TimingTable {
  std::string parameter;
  std::vector<double> values;
  std::vector<TimingRow> rows;
  std::size_t instances = 0;  // per value
};

// A problem for timing planners. With the goal deadline it has a loose one: four times the
// turn-around that BL_CPAR_BD_CPAR needs, about what the deadline study calls loose.
Problem timed_problem(const Workflow& workflow, const Platform& platform, Goal goal);

// The mean time of one planner over the problems, in processor time of this thread.
double mean_milliseconds(std::string_view planner, std::span<const Problem> problems);

// Makes each plan from scratch: once over the numbers of tasks, once over the densities, for some
// workflows on some of the campaign's schedules, spread over all logs (1,000 pairs at the scale
// paper, 24 at quick).
std::vector<TimingTable> measure_run_times(const Campaign& campaign,
                                           std::span<const std::string_view> planners, Goal goal);

}  // namespace dovetail
