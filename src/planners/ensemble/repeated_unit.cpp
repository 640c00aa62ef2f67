#include "planners/ensemble/repeated_unit.hpp"

#include <algorithm>
#include <cassert>

#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"

namespace dovetail::planning {

namespace {

TaskSpec copy_of(const Workflow& workflow, TaskId task, std::string id) {
  TaskSpec spec{std::move(id), workflow.time_spec(task), std::string(workflow.run(task)),
                workflow.execution(task), workflow.needs(task)};
  spec.execution.kind = workflow.kind(task);
  return spec;
}

// The tasks of the chain as a workflow of their own, numbered by their positions.
Workflow chain_workflow(const RepeatedUnit& unit) {
  const Workflow& whole = unit.workflow();
  WorkflowBuilder builder("chain");
  std::vector<TaskId> position(whole.size());
  for (const TaskId task : unit.chain()) {
    position[task] = builder.add_task(copy_of(whole, task, std::string(whole.id(task))));
    for (const TaskId before : whole.predecessors(task)) {
      builder.add_edge(position[before], position[task]);
    }
  }
  return std::move(builder).build();
}

Problem inside_group(const Workflow& tasks, const Cluster& cluster, Count procs) {
  Cluster group{.name = cluster.name, .processors = procs, .speed = cluster.speed};
  return Problem({tasks}, Platform(0, {std::move(group)}));
}

UnitLayout laid_out_by_planners(const Problem& problem, Count procs) {
  const std::vector<Plan> plans = plan_all(problem);
  if (plans.empty()) return {};
  const Plan& best = plans[best_plan(plans)];
  UnitLayout layout{procs, makespan(best), std::vector<Slot>(best.placements.size())};
  for (const Placement& placement : best.placements) {
    layout.slots[placement.task] = {placement.procs, placement.start, placement.end};
  }
  return layout;
}

// One task needs no planner.
UnitLayout laid_out(const Problem& problem, Count procs) {
  if (problem.task_count() > 1) return laid_out_by_planners(problem, procs);
  const TaskTime time = problem.time(0, 0, 0);
  const Count used = time.floor_allowed(procs);
  const Duration length = time.duration(used);
  return {procs, length, {{used, 0, length}}};
}

// Whether every task can run there at all.
bool fits_on(const Workflow& workflow, const Cluster& cluster) {
  const auto names = workflow.resource_names();
  const auto own = std::find(names.begin(), names.end(), cluster.name);
  for (TaskId task = 0; task < workflow.size(); ++task) {
    const TaskTime time = workflow.time(task);
    if (time.min_procs() > cluster.processors) return false;
    if (time.kind() != TimeKind::per_resource) continue;
    if (own == names.end()) return false;
    if (!time.runs_on(static_cast<std::int32_t>(own - names.begin()))) return false;
  }
  return true;
}

// All sizes up to this one are tried, then every one that is a thirtieth larger.
constexpr Count kAllSizes = 64;
Count next_tried(Count procs) {
  return procs < kAllSizes ? procs + 1 : procs + std::max(1, procs / 30);
}

}  // namespace

std::string padded_number(std::int64_t number, Count most) {
  const std::string digits = std::to_string(number);
  const std::size_t width = std::to_string(most).size();
  return std::string(width - std::min(width, digits.size()), '0') + digits;
}

RepeatedUnit::RepeatedUnit(Workflow workflow, std::span<const TaskId> chain)
    : workflow_(std::move(workflow)), on_chain_(workflow_.size(), chain.empty()) {
  for (const TaskId task : chain) on_chain_[task] = true;
  const auto order = workflow_.topological_order();
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    for (const TaskId after : workflow_.successors(*task)) {
      if (on_chain_[after]) on_chain_[*task] = true;
    }
  }
  for (const TaskId task : order) (on_chain_[task] ? chain_ : off_chain_).push_back(task);
}

Workflow RepeatedUnit::repeated(Count months, std::string name) const {
  WorkflowBuilder builder(std::move(name));
  const auto size = static_cast<TaskId>(workflow_.size());
  std::vector<TaskId> last;  // of the chain: what the next month waits for
  for (const TaskId task : chain_) {
    const auto after = workflow_.successors(task);
    if (std::none_of(after.begin(), after.end(), [&](TaskId t) { return on_chain(t); })) {
      last.push_back(task);
    }
  }
  for (Count month = 0; month < months; ++month) {
    const std::string prefix = padded_number(month + 1, months) + "/";
    const TaskId first = static_cast<TaskId>(month) * size;
    for (TaskId task = 0; task < size; ++task) {
      builder.add_task(copy_of(workflow_, task, prefix + std::string(workflow_.id(task))));
    }
    for (TaskId task = 0; task < size; ++task) {
      const auto before = workflow_.predecessors(task);
      const auto transfers = workflow_.transfers_in(task);
      for (std::size_t i = 0; i < before.size(); ++i) {
        builder.add_edge(first + before[i], first + task, transfers.empty() ? 0 : transfers[i]);
      }
      if (!before.empty() || month == 0) continue;
      for (const TaskId b : last) builder.add_edge(first - size + b, first + task);
    }
  }
  return std::move(builder).build();
}

UnitOnCluster::UnitOnCluster(const RepeatedUnit& unit, const Cluster& cluster, Count step) {
  if (!fits_on(unit.workflow(), cluster)) return;
  const Problem whole = inside_group(unit.workflow(), cluster, cluster.processors);
  for (const TaskId task : unit.off_chain()) {
    const TaskTime time = whole.time(0, task, 0);
    off_chain_.push_back({time.min_procs(), time.duration(time.min_procs())});
  }
  Count least = 1;
  for (const TaskId task : unit.chain()) {
    least = std::max(least, whole.time(0, task, 0).min_procs());
  }
  const Workflow chain = chain_workflow(unit);
  for (Count procs = least; procs <= cluster.processors; procs = next_tried(procs)) {
    const Count size = (procs + step - 1) / step * step;
    if (size > cluster.processors) break;
    if (!layouts_.empty() && layouts_.back().procs >= size) continue;
    UnitLayout layout = laid_out(inside_group(chain, cluster, size), size);
    const bool is_new =
        !layout.slots.empty() && (layouts_.empty() || layout.time < layouts_.back().time);
    if (is_new) layouts_.push_back(std::move(layout));
  }
}

const UnitLayout& UnitOnCluster::layout(Count procs) const {
  const auto found = std::ranges::find(layouts_, procs, &UnitLayout::procs);
  assert(found != layouts_.end() && "the size is one of the layouts");
  return *found;
}

MonthProblem UnitOnCluster::as_months(Count scenarios, Count months, Count processors,
                                      Count reserved) const {
  MonthProblem problem{.scenarios = scenarios,
                       .months = months,
                       .processors = processors,
                       .reserved = std::min(reserved, processors),
                       .posts = 0};
  for (const UnitLayout& layout : layouts_) problem.sizes.push_back({layout.procs, layout.time});
  Duration work = 0;
  for (const auto& [procs, time] : off_chain_) {
    problem.post = std::max(problem.post, time);
    work += procs * time;
  }
  if (work > 0) problem.posts = static_cast<Count>((work + problem.post - 1) / problem.post);
  return problem;
}

}  // namespace dovetail::planning
