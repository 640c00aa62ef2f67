// The run times of planners, measured on this machine: by parameter, as in Tables 9 and 10 of Aida
// and Casanova, and how they grow with the size of the problem, the exponents behind their Table 8.
//
//   auto tables = measure_run_times(campaign, kBoundNames, Goal::turnaround);
//   auto growth = measure_growth(1, StudyScale::quick, kTimedNames);
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dovetail/problem.hpp"
#include "study/study.hpp"

namespace dovetail::study {

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

struct GrowthRow {
  std::string_view algorithm;
  std::vector<double> milliseconds;  // by size
  double exponent = 0;
};

struct GrowthTable {
  std::string parameter;  // "tasks", "reservations", "processors"
  std::vector<double> sizes;
  // The exponent that Table 8 states for every algorithm: one for reservations and processors; for
  // tasks that of V (V + E), with E growing as in the workflows used.
  double stated_exponent = 0;
  std::vector<GrowthRow> rows;
};

// The slope of the least-squares line through (log size, log value). Needs two different sizes, all
// numbers positive.
double fitted_exponent(std::span<const double> sizes, std::span<const double> values);

// One table per parameter: tasks, reservations or processors double while the other two stay fixed.
// The times of a planner then follow about size^x, and x is the slope of a line through their
// logarithms. Means over some workflows of the default application, with loose deadlines.
std::vector<GrowthTable> measure_growth(std::uint64_t seed, StudyScale scale,
                                        std::span<const std::string_view> planners);

}  // namespace dovetail::study
