#include "run_description.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "dovetail/planner.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

namespace {

using Json = nlohmann::ordered_json;

// Beyond that, trying all planners would keep the first task waiting.
constexpr std::size_t kManyTasks = 300;

// What the system passes on as one argument.
constexpr std::size_t kLongestCommand = 128 * 1024;

Time shifted(Time time, Time now) {
  return time == kForever || time == kBeginning ? time : time - now;
}

// By a clock on which `zero` is 0, and without what is over by then.
Platform moved(const Platform& platform, Time zero) {
  Cluster cluster = platform.clusters().front();
  std::erase_if(cluster.reservations, [&](const Reservation& held) { return held.end <= zero; });
  for (Reservation& held : cluster.reservations) {
    held = {std::max<Time>(0, held.start - zero), held.end - zero, held.procs};
  }
  cluster.joins = shifted(cluster.joins, zero);
  cluster.leaves = shifted(cluster.leaves, zero);
  return Platform(0, {std::move(cluster)});
}

std::string path_of(const Workflow& workflow, TaskId task, const std::string& name) {
  namespace fs = std::filesystem;
  return (fs::path(workflow.execution(task).directory) / name).lexically_normal().string();
}

// Whether one task runs only when another has ended.
bool comes_after(const Workflow& workflow, TaskId task, TaskId other) {
  std::vector<TaskId> ahead{task};
  std::set<TaskId> seen;
  while (!ahead.empty()) {
    const TaskId next = ahead.back();
    ahead.pop_back();
    for (const TaskId before : workflow.predecessors(next)) {
      if (before == other) return true;
      if (seen.insert(before).second) ahead.push_back(before);
    }
  }
  return false;
}

// A task that reads what another one writes has to come after it.
void check_files(const Workflow& workflow) {
  std::map<std::string, TaskId> writers;
  for (TaskId task = 0; task < workflow.size(); ++task) {
    for (const std::string& name : workflow.execution(task).outputs) {
      writers.emplace(path_of(workflow, task, name), task);
    }
  }
  for (TaskId task = 0; task < workflow.size(); ++task) {
    for (const std::string& name : workflow.execution(task).inputs) {
      const auto writer = writers.find(path_of(workflow, task, name));
      if (writer == writers.end() || writer->second == task) continue;
      if (comes_after(workflow, task, writer->second)) continue;
      throw InputError("workflow " + io::quote(workflow.name()) + ": task " +
                       io::quote(workflow.id(task)) + " reads " + io::quote(name) +
                       ", an output of " + io::quote(workflow.id(writer->second)) +
                       ", and does not come after it; add that to its \"after\"");
    }
  }
}

}  // namespace

Platform from_now(const Platform& platform) {
  if (platform.clusters().size() != 1) {
    throw InputError("a run needs one cluster, found " +
                     std::to_string(platform.clusters().size()));
  }
  const Cluster& cluster = platform.clusters().front();
  if (cluster.slurm || cluster.queue) {
    throw InputError("cluster " + io::quote(cluster.name) +
                     " has a batch queue; tasks can be started on this machine only");
  }
  return moved(platform, platform.now());
}

RunDescription RunDescription::later(Time clock) const {
  RunDescription description = *this;
  description.platform = moved(platform, -clock);
  if (deadline) *description.deadline += clock;
  return description;
}

Problem RunDescription::problem() const {
  for (const Workflow& workflow : workflows) {
    for (TaskId task = 0; task < workflow.size(); ++task) {
      const std::size_t size = workflow.run(task).size();
      if (size > 0 && size < kLongestCommand) continue;
      throw InputError("workflow " + io::quote(workflow.name()) + ": task " +
                       io::quote(workflow.id(task)) +
                       (size == 0 ? " has nothing to run; give it \"run\""
                                  : " has a command of more than 128 KiB; put it into a script"));
    }
    check_files(workflow);
  }
  return Problem(workflows, platform, goal, deadline);
}

void RunDescription::write(const exec::RunFolder& run) const {
  Json json = {{"folder", folder},    {"goal", goal == Goal::deadline ? "deadline" : "turnaround"},
               {"deadline", Json()},  {"keep_going", keep_going},
               {"static", is_static}, {"band", band},
               {"assumed", assumed}};
  if (deadline) json["deadline"] = *deadline;
  json["platform"] = Json::parse(format_platform(platform, true));
  for (const Workflow& workflow : workflows) {
    json["workflows"].push_back(Json::parse(format_workflow(workflow, WorkflowFormat::json)));
  }
  write_file(run.description(), json.dump() + "\n");
}

RunDescription RunDescription::read(const exec::RunFolder& run) {
  const std::string file = run.description();
  const Json json = Json::parse(read_file(file), nullptr, false);
  if (!json.is_object() || !json.contains("workflows") || !json.contains("platform")) {
    throw InputError(file + ": not the description of a run");
  }
  RunDescription description{
      .workflows = {},
      .assumed = json.value("assumed", std::vector<std::string>()),
      .folder = json.value("folder", ""),
      .platform = parse_platform(json["platform"].dump(), file),
      .goal = json.value("goal", "") == "deadline" ? Goal::deadline : Goal::turnaround,
      .keep_going = json.value("keep_going", false),
      .is_static = json.value("static", false),
      .band = json.value("band", 0.2)};
  if (json.contains("deadline") && json["deadline"].is_number()) {
    description.deadline = json["deadline"].get<Time>();
  }
  for (const Json& workflow : json["workflows"]) {
    description.workflows.push_back(parse_workflow(workflow.dump(), file));
  }
  return description;
}

Plan plan_for_run(const Problem& problem) {
  const bool is_quick = problem.task_count() <= kManyTasks;
  if (!is_quick && problem.goal() == Goal::turnaround) {
    return plan(*find_planner("BL_CPAR_BD_CPAR"), problem);
  }
  auto plans = plan_all(problem);
  return std::move(plans[best_plan(plans, problem.goal())]);
}

}  // namespace dovetail::cli
