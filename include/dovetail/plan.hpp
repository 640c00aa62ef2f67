// A plan: for every task the cluster, the start, the end and the processors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dovetail/time.hpp"
#include "dovetail/workflow.hpp"

namespace dovetail {

struct Placement {
  std::uint32_t workflow = 0;  // position in Problem::workflows()
  TaskId task = 0;
  std::uint32_t cluster = 0;  // position in Platform::clusters()
  Count procs = 0;
  Time start = 0;
  Time end = 0;
  friend bool operator==(const Placement&, const Placement&) = default;
};

struct Plan {
  std::string algorithm = {};
  Time now = 0;
  std::optional<Time> deadline = {};
  bool feasible = true;                    // false: no plan was found, and there are no placements
  std::vector<Placement> placements = {};  // by workflow, then by task
  // Of several workflows: the turn-around of each if the same planner had it alone. Else empty.
  std::vector<Duration> alone = {};
  // Where the planner searched one: the share by which it moved its guide towards the end.
  std::optional<double> lambda = {};
  friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace dovetail
