// A workflow that is one month of an ensemble, and is repeated: the generic form of main and post
// task.
//
// Tasks on the chain (those that were named, and all that they need) must end before the next month
// begins; the others hang off it. Inside a group of processors the chain part is laid out once for
// every size, by the planners for turn-around: that is the group's time of a month.
//
//   const RepeatedUnit unit(workflow, {pcr});
//   const UnitOnCluster there(unit, platform.clusters()[0]);
//   there.layouts();   // 4 processors: 4205 s; 5: ...
//
// Source: announced as future work by Caniou et al. 2009.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dovetail/platform.hpp"
#include "dovetail/workflow.hpp"
#include "planners/ensemble/grouping.hpp"
#include "planners/list/slot.hpp"

namespace dovetail::planning {

// With as many digits as the greatest number has: "007" of 120.
std::string padded_number(std::int64_t number, Count most);

class RepeatedUnit {
 public:
  // The chain is what these tasks need, and themselves; none: all tasks.
  RepeatedUnit(Workflow workflow, std::span<const TaskId> chain);

  const Workflow& workflow() const { return workflow_; }
  bool on_chain(TaskId task) const { return on_chain_[task]; }
  std::span<const TaskId> chain() const { return chain_; }          // in topological order
  std::span<const TaskId> off_chain() const { return off_chain_; }  // the same

  // That many months one after the other, with ids such as "007/solve".
  Workflow repeated(Count months, std::string name) const;

 private:
  Workflow workflow_;
  std::vector<bool> on_chain_;
  std::vector<TaskId> chain_;
  std::vector<TaskId> off_chain_;
};

// The chain part of a unit inside a group.
struct UnitLayout {
  Count procs = 0;               // of the group
  Duration time = 0;             // of the whole chain part
  std::vector<Slot> slots = {};  // by position in RepeatedUnit::chain(), from time 0
};

class UnitOnCluster {
 public:
  // Sizes are multiples of `step`.
  UnitOnCluster(const RepeatedUnit& unit, const Cluster& cluster, Count step = 1);

  // Sizes rise, times fall. None: a task does not fit, or no planner can plan the chain part.
  std::span<const UnitLayout> layouts() const { return layouts_; }
  const UnitLayout& layout(Count procs) const;

  // Where the off-chain tasks run, by position: on the fewest processors that they allow.
  std::span<const GroupTime> off_chain() const { return off_chain_; }

  // The unit as a month for the groupings: the longest off-chain task is the post task, and there
  // are as many of them as have the work of all.
  MonthProblem as_months(Count scenarios, Count months, Count processors, Count reserved) const;

 private:
  std::vector<UnitLayout> layouts_;
  std::vector<GroupTime> off_chain_;
};

}  // namespace dovetail::planning
