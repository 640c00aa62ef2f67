#include "dovetail/plan_record.hpp"

#include <algorithm>
#include <tuple>

#include "core/order.hpp"
#include "dovetail/critical.hpp"
#include "dovetail/error.hpp"
#include "dovetail/fairness.hpp"
#include "dovetail/metrics.hpp"

namespace dovetail {

namespace {

ClusterRecord record_cluster(const Cluster& cluster, Time from, Time until) {
  ClusterRecord record{.name = cluster.name, .processors = cluster.processors, .reservations = {}};
  for (const Reservation& reservation : cluster.reservations) {
    if (reservation.end > from && reservation.start < until) {
      record.reservations.push_back(reservation);
    }
  }
  std::ranges::sort(record.reservations, {},
                    [](const Reservation& r) { return std::tie(r.start, r.end, r.procs); });
  return record;
}

TaskRecord record_task(const Problem& problem, const Placement& placement) {
  const Workflow& workflow = problem.workflows()[placement.workflow];
  return {.workflow = workflow.name(),
          .id = std::string(workflow.id(placement.task)),
          .cluster = problem.platform().clusters()[placement.cluster].name,
          .start = placement.start,
          .end = placement.end,
          .processors = placement.procs};
}

void record_workflows(const Problem& problem, const Plan& plan, PlanRecord& record) {
  for (std::size_t i = 0; i < problem.workflows().size(); ++i) {
    const Workflow& workflow = problem.workflows()[i];
    record.workflows.push_back({.name = workflow.name(),
                                .makespan = makespan(problem, plan, i),
                                .weight = workflow.terms().weight,
                                .ready_at = workflow.terms().ready_at});
  }
  if (plan.alone.size() != problem.workflows().size()) return;
  const Fairness fairness = measure_fairness(problem, plan);
  record.average_stretch = fairness.average_stretch;
  record.maximum_stretch = fairness.maximum_stretch;
  if (differ_in_weight(problem)) record.maximum_weighted_stretch = fairness.weighted_stretch;
  for (std::size_t i = 0; i < record.workflows.size(); ++i) {
    const Fate& fate = fairness.workflows[i];
    record.workflows[i].stretch = fate.stretch;
    record.workflows[i].dedicated_makespan = fate.alone;
    record.workflows[i].delayed_by_reservations = fate.reserved;
    for (const Delay& delay : fate.delays) {
      record.workflows[i].delayed_by.push_back(
          {problem.workflows()[delay.by].name(), delay.length});
    }
  }
}

// Sorts by workflow, then by task, as in every plan.
void sort_placements(Plan& plan) {
  const auto order = order_by<std::size_t>(plan.placements.size(), [&](std::size_t i) {
    return std::pair(plan.placements[i].workflow, plan.placements[i].task);
  });
  const auto sort = [&](auto& items) {
    auto sorted = items;
    for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = items[order[i]];
    items = std::move(sorted);
  };
  sort(plan.placements);
  if (!plan.nodes.empty()) sort(plan.nodes);
  for (PlanVersion& version : plan.versions) sort(version.clusters);
}

void add_versions(Plan& plan, const PlanRecord& record, const Platform& platform) {
  for (const VersionRecord& named : record.versions) {
    PlanVersion version{named.time, {}};
    for (const std::string& name : named.clusters) {
      const auto cluster = platform.find(name);
      if (!cluster) {
        throw InputError("a version of the plan names cluster \"" + name +
                         "\", which is none of the clusters given");
      }
      version.clusters.push_back(static_cast<std::uint32_t>(*cluster));
    }
    if (version.clusters.size() != record.tasks.size()) {
      throw InputError("a version of the plan has " + std::to_string(version.clusters.size()) +
                       " clusters for " + std::to_string(record.tasks.size()) + " tasks");
    }
    plan.versions.push_back(std::move(version));
  }
}

}  // namespace

PlanRecord make_record(const Problem& problem, const Plan& plan, std::span<const Placement> lost) {
  PlanRecord record{.algorithm = plan.algorithm,
                    .now = plan.now,
                    .wall_clock = problem.platform().wall_clock(),
                    .deadline = plan.deadline,
                    .lambda = plan.lambda,
                    .feasible = plan.feasible,
                    .makespan = makespan(plan),
                    .turnaround = makespan(plan),
                    .cpu_hours = cpu_hours(plan),
                    .division = plan.division,
                    .search = plan.search,
                    .gap = certified_gap(plan),
                    .history = plan.history};
  record_workflows(problem, plan, record);
  record.tasks.reserve(plan.placements.size());
  for (const Placement& placement : plan.placements) {
    record.tasks.push_back(record_task(problem, placement));
  }
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) record.tasks[i].nodes = plan.nodes[i];
  Time until = plan.now + std::max<Duration>(record.makespan, 1);
  for (const Placement& run : lost) {
    record.lost.push_back(record_task(problem, run));
    until = std::max(until, run.end);
  }
  const auto clusters = problem.platform().clusters();
  for (const Cluster& cluster : clusters) {
    record.clusters.push_back(record_cluster(cluster, plan.now, until));
  }
  for (const PlanVersion& version : plan.versions) {
    VersionRecord& named = record.versions.emplace_back(VersionRecord{version.time, {}});
    for (const std::uint32_t cluster : version.clusters) {
      named.clusters.push_back(clusters[cluster].name);
    }
  }
  for (const CriticalLink& link : critical_chain(problem, plan)) {
    record.tasks[link.placement].critical = true;
  }
  return record;
}

Plan resolve(const PlanRecord& record, const Problem& problem) {
  Plan plan{.algorithm = record.algorithm,
            .now = record.now,
            .deadline = record.deadline,
            .feasible = record.feasible,
            .lambda = record.lambda,
            .search = record.search,
            .history = record.history};
  const auto workflows = problem.workflows();
  plan.placements.reserve(record.tasks.size());
  for (const TaskRecord& task : record.tasks) {
    const auto workflow = std::ranges::find(workflows, task.workflow, &Workflow::name);
    if (workflow == workflows.end()) {
      throw InputError("the plan names workflow \"" + task.workflow +
                       "\", which is none of the workflows given");
    }
    const auto number = workflow->find(task.id);
    if (!number) {
      throw InputError("the plan names task \"" + task.id + "\", which workflow \"" +
                       task.workflow + "\" does not have");
    }
    const auto cluster = problem.platform().find(task.cluster);
    if (!cluster) {
      throw InputError("the plan puts task \"" + task.id + "\" on cluster \"" + task.cluster +
                       "\", which is none of the clusters given");
    }
    plan.placements.push_back({.workflow = static_cast<std::uint32_t>(workflow - workflows.begin()),
                               .task = *number,
                               .cluster = static_cast<std::uint32_t>(*cluster),
                               .procs = task.processors,
                               .start = task.start,
                               .end = task.end});
    plan.nodes.push_back(task.nodes);
  }
  if (std::ranges::all_of(plan.nodes, [](const auto& nodes) { return nodes.empty(); })) {
    plan.nodes.clear();
  }
  add_versions(plan, record, problem.platform());
  sort_placements(plan);
  return plan;
}

}  // namespace dovetail
