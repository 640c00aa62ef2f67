// A plan as files and pictures have it: with names instead of positions, so that it can be shown
// without the workflow and the cluster it was made from.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dovetail/plan.hpp"
#include "dovetail/platform.hpp"
#include "dovetail/problem.hpp"

namespace dovetail {

struct TaskRecord {
  std::string workflow;
  std::string id;
  std::string cluster;
  Time start = 0;
  Time end = 0;
  Count processors = 0;
  bool critical = false;  // on the chain of tasks that decides the end
};

// So long a workflow waits while another one holds processors.
struct DelayRecord {
  std::string by;
  Duration length = 0;
};

struct WorkflowRecord {
  std::string name;
  Duration makespan = 0;  // from when it is ready on
  double stretch = 1.0;
  // Where it is known how the workflow would fare alone.
  std::optional<Duration> dedicated_makespan = {};
  std::vector<DelayRecord> delayed_by = {};
  Duration delayed_by_reservations = 0;  // of other people
  // As its file has them.
  double weight = 1.0;
  std::optional<Time> ready_at = {};
};

// A cluster as the picture needs it: its size and what others hold while the plan runs.
struct ClusterRecord {
  std::string name;
  Count processors = 0;
  std::vector<Reservation> reservations;
};

// The tightest deadline that an algorithm was found to meet.
struct TightestRecord {
  std::string algorithm;
  std::optional<Time> deadline = {};  // nothing: none
  double cpu_hours = 0;
};

// See PlanVersion; clusters in the order of PlanRecord::tasks.
struct VersionRecord {
  Time time = 0;
  std::vector<std::string> clusters = {};
};

struct PlanRecord {
  std::string algorithm;
  Time now = 0;
  bool wall_clock = false;  // times count from 1970
  std::optional<Time> deadline = {};
  std::optional<double> lambda = {};  // see Plan::lambda
  bool feasible = true;
  // When the deadline was missed: the earliest one that is known to be met, and its planner.
  std::optional<Time> earliest_deadline = {};
  std::string earliest_algorithm = {};
  Duration makespan = 0;    // last end minus now
  Duration turnaround = 0;  // the same
  double cpu_hours = 0;     // without those of runs that were cut short
  // Where it is known how each workflow would fare alone; see fairness.hpp.
  std::optional<double> average_stretch = {};
  std::optional<double> maximum_stretch = {};
  std::optional<double> maximum_weighted_stretch = {};  // where weights differ
  std::optional<Division> division = {};                // see Plan::division
  std::optional<SearchRecord> search = {};
  std::optional<double> gap = {};  // see certified_gap
  std::vector<WorkflowRecord> workflows = {};
  std::vector<ClusterRecord> clusters = {};
  std::vector<TaskRecord> tasks = {};
  std::vector<TaskRecord> lost = {};          // runs that were cut short; their tasks ran again
  std::vector<TightestRecord> tightest = {};  // when they were searched for
  std::vector<Evaluation> history = {};      // when it was made again while resources came and went
  std::vector<VersionRecord> versions = {};  // the same
};

// With names, metrics, critical chain, and the reservations that end after now and begin before
// the plan's end, or that of the runs that were lost.
PlanRecord make_record(const Problem& problem, const Plan& plan,
                       std::span<const Placement> lost = {});

// The plan with positions again. Throws InputError for names that the problem does not have;
// everything else, tasks that appear twice included, is the checker's business.
Plan resolve(const PlanRecord& record, const Problem& problem);

}  // namespace dovetail
