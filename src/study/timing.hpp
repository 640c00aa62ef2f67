// How long planning takes, measured here and now: what Tables 9 and 10 of Aida and Casanova show.
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

// Processor time of this thread: what others do on the machine does not count.
double thread_seconds();

struct TimingRow {
  std::string_view algorithm;
  std::vector<double> milliseconds;  // by value
};

// Mean milliseconds of processor time to make a plan from nothing, on one thread.
struct TimingTable {
  std::string parameter;
  std::vector<double> values;
  std::vector<TimingRow> rows;
  std::size_t instances = 0;  // per value
};

// A problem whose planning is to be timed. With the goal deadline there is one, and a loose one:
// four times the turn-around that BL_CPAR_BD_CPAR needs, about what the deadline study calls loose.
Problem timed_problem(const Workflow& workflow, const Platform& platform, Goal goal);

// Of one planner over the problems; the means are of this thread's processor time.
double mean_milliseconds(std::string_view planner, std::span<const Problem> problems);

// Each plan made from nothing: once over the numbers of tasks, once over the densities, for some
// workflows on some of the campaign's schedules, spread over all logs (1,000 pairs at the scale
// paper, 24 at quick).
std::vector<TimingTable> measure_run_times(const Campaign& campaign,
                                           std::span<const std::string_view> planners, Goal goal);

}  // namespace dovetail
