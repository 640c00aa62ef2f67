#include "dovetail/problem.hpp"

#include <algorithm>

#include "dovetail/error.hpp"

namespace dovetail {

namespace {

// The position of a cluster in the workflow's resource names; -1 when no task mentions it.
std::int32_t resource_of(const Workflow& workflow, const Cluster& cluster) {
  const auto names = workflow.resource_names();
  const auto found = std::find(names.begin(), names.end(), cluster.name);
  return found == names.end() ? -1 : static_cast<std::int32_t>(found - names.begin());
}

bool runs_somewhere(const Workflow& workflow, TaskId task, const Platform& platform) {
  const TaskTime time = workflow.time(task);
  return std::any_of(platform.clusters().begin(), platform.clusters().end(),
                     [&](const Cluster& cluster) {
                       if (time.min_procs() > cluster.processors) return false;
                       return time.kind() != TimeKind::per_resource ||
                              time.runs_on(resource_of(workflow, cluster));
                     });
}

void check_task(const Workflow& workflow, TaskId task, const Platform& platform) {
  if (runs_somewhere(workflow, task, platform)) return;
  const TaskTime time = workflow.time(task);
  const std::string who =
      "workflow \"" + workflow.name() + "\": task \"" + std::string(workflow.id(task)) + "\" ";
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

// Planners add durations up in 64 bits; this keeps every sum of a whole workflow within them.
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
  if (total > 1e15) throw InputError("the tasks together take over 1e15 seconds; that is too long");
}

}  // namespace

Problem::Problem(std::vector<Workflow> workflows, Platform platform, Goal goal,
                 std::optional<Time> deadline)
    : workflows_(std::move(workflows)),
      platform_(std::move(platform)),
      goal_(goal),
      deadline_(deadline) {
  if (workflows_.empty()) throw InputError("there is no workflow to plan");
  for (std::size_t i = 0; i < workflows_.size(); ++i) {
    const Workflow& workflow = workflows_[i];
    if (workflow.size() == 0) throw InputError("workflow \"" + workflow.name() + "\" has no tasks");
    for (std::size_t j = 0; j < i; ++j) {
      if (workflows_[j].name() == workflow.name()) {
        throw InputError("two workflows are called \"" + workflow.name() +
                         "\"; give each a name of its own");
      }
    }
    for (TaskId task = 0; task < workflow.size(); ++task) check_task(workflow, task, platform_);
  }
  check_total_time(workflows_, platform_);
}

std::size_t Problem::task_count() const {
  std::size_t count = 0;
  for (const Workflow& workflow : workflows_) count += workflow.size();
  return count;
}

bool Problem::allows(std::size_t workflow, TaskId task, std::size_t cluster, Count procs) const {
  const TaskTime time = workflows_[workflow].time(task);
  const Cluster& where = platform_.clusters()[cluster];
  if (procs < 1 || procs > where.processors || !time.allows(procs)) return false;
  return time.kind() != TimeKind::per_resource ||
         time.runs_on(resource_of(workflows_[workflow], where));
}

TaskTime Problem::time(std::size_t workflow, TaskId task, std::size_t cluster) const {
  const TaskTime time = workflows_[workflow].time(task);
  const Cluster& where = platform_.clusters()[cluster];
  if (time.kind() == TimeKind::per_resource) {
    return time.on_resource(resource_of(workflows_[workflow], where));
  }
  return time.at_speed(where.speed);
}

}  // namespace dovetail
