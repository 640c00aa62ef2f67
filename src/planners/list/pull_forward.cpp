#include "planners/list/pull_forward.hpp"

#include <algorithm>
#include <optional>

#include "core/order.hpp"
#include "dovetail/metrics.hpp"
#include "planners/list/node_placement.hpp"

namespace dovetail::planning {

Plan pull_forward(const Problem& problem, Plan plan) {
  if (!plan.feasible) return plan;
  const bool has_nodes = !plan.nodes.empty();
  const std::optional<Plan> before_all = has_nodes ? std::optional(plan) : std::nullopt;
  std::vector<Calendar> calendars;
  for (std::size_t i = 0; i < problem.platform().clusters().size(); ++i) {
    calendars.push_back(problem.platform().calendar(i));
  }
  const auto positions = positions_in(problem, plan);
  const auto start_of = [&](std::size_t number) { return plan.placements[number].start; };
  for (const std::size_t number : order_by<std::size_t>(plan.placements.size(), start_of)) {
    Placement& placement = plan.placements[number];
    const Workflow& workflow = problem.workflows()[placement.workflow];
    const auto before = workflow.predecessors(placement.task);
    const auto transfers = workflow.transfers_in(placement.task);
    Time ready = problem.release(placement.workflow, placement.task);
    for (std::size_t i = 0; i < before.size(); ++i) {
      const Placement& input = plan.placements[positions[placement.workflow][before[i]]];
      const bool moved = input.cluster != placement.cluster && !transfers.empty();
      ready = std::max(ready, input.end + (moved ? transfers[i] : 0));
    }
    const Duration length = placement.end - placement.start;
    Calendar& calendar = calendars[placement.cluster];
    placement.start = calendar.earliest_fit(placement.procs, length, ready).value();
    placement.end = placement.start + length;
    calendar.reserve({placement.start, placement.end}, placement.procs);
  }
  if (!has_nodes) return plan;
  plan.nodes.clear();
  plan = place_on_nodes(problem, std::move(plan));
  return plan.feasible && makespan(plan) <= makespan(*before_all) ? plan : *before_all;
}

}  // namespace dovetail::planning
