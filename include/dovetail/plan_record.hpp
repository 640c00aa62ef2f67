// A plan as files and pictures need it: with names instead of positions, so that it can be shown
// without the workflow and the cluster it was made for.
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
  bool critical = false;                  // on the chain of tasks that decides the end
  std::vector<std::uint32_t> nodes = {};  // see Plan::nodes
};

// How long a workflow waits while another one holds processors.
struct DelayRecord {
  std::string by;
  Duration length = 0;
};

struct WorkflowRecord {
  std::string name;
  Duration makespan = 0;  // from when it is ready
  double stretch = 1.0;
  // Set if the makespan of the workflow alone is known.
  std::optional<Duration> dedicated_makespan = {};
  std::vector<DelayRecord> delayed_by = {};
  Duration delayed_by_reservations = 0;  // reservations of other users
  // As in its file.
  double weight = 1.0;
  std::optional<Time> ready_at = {};
};

// A cluster as a picture needs it: its size and the reservations of others while the plan runs.
struct ClusterRecord {
  std::string name;
  Count processors = 0;
  std::vector<Reservation> reservations;
};

// The tightest deadline that an algorithm is known to meet.
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
  // When the deadline was missed: the earliest deadline known to be met, and the algorithm that
  // meets it.
  std::optional<Time> earliest_deadline = {};
  std::string earliest_algorithm = {};
  Duration makespan = 0;    // last end minus now
  Duration turnaround = 0;  // the same
  double cpu_hours = 0;     // without runs that were cut short
  // Set if the makespan of each workflow alone is known; see fairness.hpp.
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
  std::vector<TightestRecord> tightest = {};  // if they were searched for
  std::vector<Evaluation> history = {};       // if replanned while resources came and went
  std::vector<VersionRecord> versions = {};   // the same
};

// The plan with names, metrics and critical chain. It includes the reservations that end after now
// and begin before the end of the plan or of a lost run.
PlanRecord make_record(const Problem& problem, const Plan& plan,
                       std::span<const Placement> lost = {});

// The plan with positions instead of names. Throws InputError for names that the problem does not
// have. Everything else, such as tasks that appear twice, is left to the checker.
Plan resolve(const PlanRecord& record, const Problem& problem);

}  // namespace dovetail
