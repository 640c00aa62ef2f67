#include "dovetail/problem.hpp"

#include <algorithm>
#include <cassert>
#include <string_view>
#include <unordered_map>

#include "core/node_fit.hpp"
#include "core/node_widths.hpp"
#include "dovetail/error.hpp"

namespace dovetail {

namespace {

// For each cluster its position in the workflow's resource names; -1 when no task mentions it.
std::vector<std::int32_t> resources_of(const Workflow& workflow, const Platform& platform) {
  std::unordered_map<std::string_view, std::int32_t> positions;
  for (const std::string& name : workflow.resource_names()) {
    positions.emplace(name, static_cast<std::int32_t>(positions.size()));
  }
  std::vector<std::int32_t> resources;
  for (const Cluster& cluster : platform.clusters()) {
    const auto found = positions.find(cluster.name);
    resources.push_back(found == positions.end() ? -1 : found->second);
  }
  return resources;
}

// Whether the cluster is large enough and, where times are per resource, has one.
bool is_candidate(const TaskTime& time, const Cluster& cluster, std::int32_t resource) {
  if (time.min_procs() > cluster.processors) return false;
  return time.kind() != TimeKind::per_resource || time.runs_on(resource);
}

[[noreturn]] void reject_too_large(const std::string& who, const TaskTime& time,
                                   const Platform& platform) {
  if (time.kind() == TimeKind::per_resource) {
    throw InputError(who + "has a time on none of the clusters; name them in time_on");
  }
  Count largest = 0;
  for (const Cluster& cluster : platform.clusters()) {
    largest = std::max(largest, cluster.processors);
  }
  throw InputError(who + "needs " + std::to_string(time.min_procs()) + " processors, but " +
                   (platform.clusters().size() == 1
                        ? "cluster \"" + platform.clusters()[0].name + "\" has "
                        : "the largest cluster has ") +
                   std::to_string(largest));
}

// What decides whether a task can run.
struct TaskCheck {
  const Workflow& workflow;
  const Platform& platform;
  const std::vector<std::int32_t>& resources;
  bool counts_nodes;

  // On its fewest processors, which are the easiest to place.
  bool runs_somewhere(TaskId task) const {
    const TaskTime time = workflow.time(task);
    for (std::size_t i = 0; i < resources.size(); ++i) {
      const Cluster& cluster = platform.clusters()[i];
      if (!is_candidate(time, cluster, resources[i])) continue;
      if (!counts_nodes || nodes_hold(cluster, workflow.needs(task), time.min_procs())) return true;
    }
    return false;
  }

  [[noreturn]] void reject(TaskId task) const {
    const TaskTime time = workflow.time(task);
    std::vector<const Cluster*> candidates;
    for (std::size_t i = 0; i < resources.size(); ++i) {
      const Cluster& cluster = platform.clusters()[i];
      if (is_candidate(time, cluster, resources[i])) candidates.push_back(&cluster);
    }
    const std::string who =
        "workflow \"" + workflow.name() + "\": task \"" + std::string(workflow.id(task)) + "\" ";
    if (candidates.empty()) reject_too_large(who, time, platform);
    throw InputError(who +
                     why_nodes_do_not_hold(candidates, workflow.needs(task), time.min_procs()));
  }
};

void check_ready(const Workflow& workflow, const Platform& platform) {
  const WorkflowTerms& terms = workflow.terms();
  if (!terms.ready_at || terms.ready_is_date == platform.wall_clock()) return;
  throw InputError("workflow \"" + workflow.name() + "\": ready_at " +
                   (terms.ready_is_date
                        ? "is a date, but the clusters' \"now\" is not; give seconds"
                        : "is not a date, but the clusters' \"now\" is one; give a date"));
}

// Planners add durations in 64 bits, and files store times as numbers of 53 bits. This limit keeps
// every plan within both, even behind the latest possible reservations.
void check_total_time(std::span<const Workflow> workflows, const Platform& platform) {
  double slowest = 1.0;
  for (const Cluster& cluster : platform.clusters()) slowest = std::min(slowest, cluster.speed);
  double total = 0;
  for (const Workflow& workflow : workflows) {
    for (TaskId task = 0; task < workflow.size(); ++task) {
      const TaskTime time = workflow.time(task);
      double longest = time.seconds();
      for (const TimePoint& point : time.points()) longest = std::max(longest, point.seconds);
      total += longest / slowest;
    }
  }
  if (total > 8e12) throw InputError("the tasks together take over 8e12 seconds; that is too long");
}

using Widths = std::vector<std::vector<std::shared_ptr<const NodeWidths>>>;

Widths widths_by_cluster(std::span<const Workflow> workflows, const Platform& platform) {
  const auto has_no_nodes = [](const Cluster& cluster) { return cluster.node_types.empty(); };
  if (std::ranges::all_of(platform.clusters(), has_no_nodes)) return {};
  Widths widths;
  for (const Workflow& workflow : workflows) {
    auto& by_cluster = widths.emplace_back();
    for (const Cluster& cluster : platform.clusters()) {
      by_cluster.push_back(
          has_no_nodes(cluster) ? nullptr : std::make_shared<const NodeWidths>(workflow, cluster));
    }
  }
  return widths;
}

}  // namespace

Problem::Problem(std::vector<Workflow> workflows, Platform platform, Goal goal,
                 std::optional<Time> deadline)
    : workflows_(std::move(workflows)),
      platform_(std::move(platform)),
      goal_(goal),
      deadline_(deadline) {
  if (workflows_.empty()) throw InputError("there is no workflow to plan");
  if (goal_ == Goal::deadline && !deadline_) throw InputError("the goal deadline needs a deadline");
  counts_nodes_ = std::ranges::any_of(workflows_, &Workflow::has_needs) ||
                  std::ranges::any_of(platform_.clusters(),
                                      [](const Cluster& c) { return !c.node_types.empty(); });
  for (std::size_t i = 0; i < workflows_.size(); ++i) {
    const Workflow& workflow = workflows_[i];
    if (workflow.size() == 0) throw InputError("workflow \"" + workflow.name() + "\" has no tasks");
    for (std::size_t j = 0; j < i; ++j) {
      if (workflows_[j].name() == workflow.name()) {
        throw InputError("two workflows are called \"" + workflow.name() +
                         "\"; give each a name of its own");
      }
    }
    check_ready(workflow, platform_);
    resources_.push_back(resources_of(workflow, platform_));
    const TaskCheck check{workflow, platform_, resources_[i], counts_nodes_};
    for (TaskId task = 0; task < workflow.size(); ++task) {
      if (!check.runs_somewhere(task)) check.reject(task);
    }
  }
  check_total_time(workflows_, platform_);
  widths_ = widths_by_cluster(workflows_, platform_);
}

std::size_t Problem::task_count() const {
  std::size_t count = 0;
  for (const Workflow& workflow : workflows_) count += workflow.size();
  return count;
}

TaskRef Problem::task_at(std::size_t number) const {
  assert(number < task_count());
  std::uint32_t workflow = 0;
  while (number >= workflows_[workflow].size()) number -= workflows_[workflow++].size();
  return {workflow, static_cast<TaskId>(number)};
}

std::size_t Problem::number_of(TaskRef task) const {
  std::size_t number = task.task;
  for (std::uint32_t i = 0; i < task.workflow; ++i) number += workflows_[i].size();
  return number;
}

std::string Problem::task_name(std::size_t number) const {
  const TaskRef ref = task_at(number);
  const Workflow& workflow = workflows_[ref.workflow];
  const std::string id(workflow.id(ref.task));
  return workflows_.size() == 1 ? id : workflow.name() + "/" + id;
}

Problem Problem::with_releases(std::vector<Time> releases) const {
  assert(releases.size() == task_count());
  Problem later = *this;
  later.releases_ = std::move(releases);
  return later;
}

Time Problem::ready(std::size_t workflow) const {
  return std::max(now(), workflows_[workflow].terms().ready_at.value_or(now()));
}

Time Problem::release(std::size_t workflow, TaskId task) const {
  if (releases_.empty()) return ready(workflow);
  return std::max(ready(workflow),
                  releases_[number_of({static_cast<std::uint32_t>(workflow), task})]);
}

bool Problem::allows(std::size_t workflow, TaskId task, std::size_t cluster, Count procs) const {
  const NodeWidths* widths = widths_of(workflow, cluster);
  if (widths != nullptr && !widths->can_hold(task)) return false;
  const TaskTime any = workflows_[workflow].time(task);
  const TaskTime time = widths == nullptr ? any : widths->narrowed(task, any);
  const Cluster& where = platform_.clusters()[cluster];
  if (procs < 1 || procs > where.processors || !time.allows(procs)) return false;
  if (time.kind() == TimeKind::per_resource && !time.runs_on(resources_[workflow][cluster])) {
    return false;
  }
  return !counts_nodes_ || nodes_hold(where, workflows_[workflow].needs(task), procs);
}

TaskTime Problem::time(std::size_t workflow, TaskId task, std::size_t cluster) const {
  const TaskTime time = workflows_[workflow].time(task);
  const Cluster& where = platform_.clusters()[cluster];
  if (time.kind() == TimeKind::per_resource) {
    return time.on_resource(resources_[workflow][cluster]);
  }
  const NodeWidths* widths = widths_of(workflow, cluster);
  return (widths == nullptr ? time : widths->narrowed(task, time)).at_speed(where.speed);
}

const NodeWidths* Problem::widths_of(std::size_t workflow, std::size_t cluster) const {
  return widths_.empty() ? nullptr : widths_[workflow][cluster].get();
}

}  // namespace dovetail
