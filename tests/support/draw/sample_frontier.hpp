// Frontiers for the tests of pictures: as many plans as wanted, each later and cheaper than the one
// before, made from one random plan whose times are stretched.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "support/sample_plan.hpp"

namespace dovetail::testing {

struct FrontierShape {
  int plans = 12;
  double last_over_first = 4;  // turn-around
  double dearest = 2000;       // CPU-hours
  double cheapest = 500;
  int tasks = 30;
};

// The first fifth of the plans is of the first kind of algorithm, and so on; all but those have a
// deadline.
inline std::vector<PlanRecord> sample_frontier(const FrontierShape& shape = {}) {
  constexpr std::array<const char*, 5> kAlgorithms = {"BL_CPAR_BD_ALL", "DL_BD_ALL", "DL_RC_CPAR",
                                                      "DL_RC_CPAR-lambda", "something else"};
  const PlanRecord base = random_plan(7, {.tasks = shape.tasks});
  std::vector<PlanRecord> plans;
  for (int i = 0; i < shape.plans; ++i) {
    const double share = shape.plans == 1 ? 0.0 : double(i) / (shape.plans - 1);
    const double stretch = std::pow(shape.last_over_first, share);
    const auto later = [&](Time t) {
      return base.now + static_cast<Time>(static_cast<double>(t - base.now) * stretch);
    };
    PlanRecord plan = base;
    for (TaskRecord& task : plan.tasks)
      task = {task.workflow,   task.id,         task.cluster, later(task.start),
              later(task.end), task.processors, task.critical};
    plan.makespan = plan.turnaround = later(base.now + base.makespan) - base.now;
    plan.cpu_hours = shape.dearest * std::pow(shape.cheapest / shape.dearest, std::sqrt(share));
    const auto kind = static_cast<std::size_t>(i * 5 / shape.plans);
    plan.algorithm = kAlgorithms[kind];
    if (kind > 0) plan.deadline = plan.now + plan.makespan;
    if (kind == 3) plan.lambda = 0.35;
    plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace dovetail::testing
