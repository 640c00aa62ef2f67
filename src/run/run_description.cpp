#include "run/run_description.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "dovetail/answer.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/document.hpp"
#include "io/text.hpp"
#include "planners/replan/event_loop.hpp"
#include "run/history/performance_history.hpp"
#include "run/journal_file.hpp"
#include "run/local/disk_sync.hpp"

namespace dovetail::run {

namespace {

// What the system passes on as one argument.
constexpr std::size_t kLongestCommand = 128 * 1024;

// Behind all times that files may have, and far from where sums overflow.
constexpr Time kLatestDeadline = Time{1} << 53U;

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

constexpr std::pair<Goal, const char*> kGoals[] = {
    {Goal::turnaround, "turnaround"}, {Goal::deadline, "deadline"}, {Goal::fair, "fair"}};

const char* name_of(Goal goal) {
  return std::ranges::find(kGoals, goal, [](const auto& entry) { return entry.first; })->second;
}

Goal goal_called(const std::string& name) {
  for (const auto& [goal, known] : kGoals) {
    if (known == name) return goal;
  }
  return Goal::turnaround;
}

std::string path_of(const Workflow& workflow, TaskId task, const std::string& name) {
  namespace fs = std::filesystem;
  return (fs::path(workflow.execution(task).directory) / name).lexically_normal().string();
}

// Which tasks run only when that one has ended.
std::vector<char> tasks_behind(const Workflow& workflow, TaskId task) {
  std::vector<char> behind(workflow.size());
  std::vector<TaskId> ahead{task};
  while (!ahead.empty()) {
    const TaskId next = ahead.back();
    ahead.pop_back();
    for (const TaskId after : workflow.successors(next)) {
      if (!std::exchange(behind[after], true)) ahead.push_back(after);
    }
  }
  return behind;
}

// A task that reads what another one writes has to come after it.
void check_files(const Workflow& workflow) {
  std::map<std::string, TaskId> writers;
  for (TaskId task = 0; task < workflow.size(); ++task) {
    for (const std::string& name : workflow.execution(task).outputs) {
      writers.emplace(path_of(workflow, task, name), task);
    }
  }
  std::map<TaskId, std::vector<char>> behind;  // by writer
  for (TaskId task = 0; task < workflow.size(); ++task) {
    for (const std::string& name : workflow.execution(task).inputs) {
      const auto writer = writers.find(path_of(workflow, task, name));
      if (writer == writers.end() || writer->second == task) continue;
      const auto known = behind.try_emplace(writer->second);
      if (known.second) known.first->second = tasks_behind(workflow, writer->second);
      if (known.first->second[task]) continue;
      throw InputError("workflow " + io::quote(workflow.name()) + ": task " +
                       io::quote(workflow.id(task)) + " reads " + io::quote(name) +
                       ", an output of " + io::quote(workflow.id(writer->second)) +
                       ", and does not come after it; add that to its \"after\"");
    }
  }
}

void check_commands(const Workflow& workflow) {
  for (TaskId task = 0; task < workflow.size(); ++task) {
    const std::size_t size = workflow.run(task).size();
    if (size > 0 && size < kLongestCommand) continue;
    throw InputError("workflow " + io::quote(workflow.name()) + ": task " +
                     io::quote(workflow.id(task)) +
                     (size == 0 ? " has nothing to run; give it \"run\""
                                : " has a command of more than 128 KiB; put it into a script"));
  }
}

// A task that comes after nothing would not find later what is not there now.
void check_first_inputs(const Workflow& workflow, const std::string& folder) {
  namespace fs = std::filesystem;
  for (TaskId task = 0; task < workflow.size(); ++task) {
    if (!workflow.predecessors(task).empty()) continue;
    for (const std::string& name : workflow.execution(task).inputs) {
      const fs::path path = fs::path(folder) / path_of(workflow, task, name);
      if (fs::exists(fs::symlink_status(path))) continue;
      throw InputError("workflow " + io::quote(workflow.name()) + ": task " +
                       io::quote(workflow.id(task)) + " reads " + io::quote(name) +
                       ", which is not there: " + path.string());
    }
  }
}

[[noreturn]] void refuse(const Workflow& workflow, TaskId task, const std::string& what) {
  throw InputError("workflow " + io::quote(workflow.name()) + ": task " +
                   io::quote(workflow.id(task)) + " needs " + what);
}

// Of a task on as few processors as it may have.
void check_needs(const Workflow& workflow, const MemoryAndGpus& limit) {
  for (TaskId task = 0; workflow.has_needs() && task < workflow.size(); ++task) {
    const TaskNeeds& needs = workflow.needs(task);
    const auto least = taken_by(needs, workflow.time(task).min_procs());
    if (limit.memory > 0 && least.memory > limit.memory) {
      refuse(workflow, task,
             memory_text(least.memory) + " of memory, and this run may use " +
                 memory_text(limit.memory) + "; --memory says how much it may use");
    }
    if (least.gpus > limit.gpus) {
      refuse(workflow, task,
             io::counted(least.gpus, "GPU") + ", and this run may use " +
                 std::to_string(limit.gpus) + "; --gpus says how many it may use");
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
  if (cluster.batch || cluster.queue) {
    throw InputError("cluster " + io::quote(cluster.name) +
                     " has a batch queue; tasks can be started on this machine only");
  }
  return moved(platform, platform.now());
}

std::vector<Workflow> from_now(std::span<const Workflow> workflows, Time now) {
  std::vector<Workflow> moved;
  for (const Workflow& workflow : workflows) {
    WorkflowTerms terms = workflow.terms();
    // What has been ready for long is ready at the start, as files have no time before it.
    if (terms.ready_at) terms.ready_at = std::max<Time>(*terms.ready_at - now, 0);
    terms.ready_is_date = false;
    moved.push_back(terms == workflow.terms() ? workflow : workflow.with_terms(terms));
  }
  return moved;
}

RunDescription RunDescription::later(Time clock) const {
  RunDescription description = *this;
  description.platform = moved(platform, -clock);
  description.workflows = from_now(workflows, -clock);
  if (deadline) *description.deadline += clock;
  return description;
}

std::string RunDescription::machine() const {
  return batch ? BatchDescription::machine_of(batch->system, platform) : machine_name();
}

void RunDescription::check() const {
  io::require_utf8(folder, "the name of the current folder");
  for (const Workflow& workflow : workflows) {
    check_commands(workflow);
    check_files(workflow);
    check_first_inputs(workflow, folder);
    if (!batch) check_needs(workflow, limit);
  }
}

Problem RunDescription::problem() const { return Problem(workflows, platform, goal, deadline); }

RunOptions RunDescription::options() const {
  return {.make_plan = plan_for_run,
          .processors = platform.clusters().front().processors,
          .limit = limit,
          .limits_memory = limits_memory,
          .syncs = syncs,
          .keep_going = keep_going,
          .is_static = is_static,
          .band = band,
          .stability = stability,
          .folder = folder};
}

void RunDescription::write(const RunFolder& run) const {
  Json json = {{"folder", folder},    {"goal", name_of(goal)},
               {"deadline", Json()},  {"keep_going", keep_going},
               {"static", is_static}, {"band", band},
               {"sync", syncs},       {"stability", stability},
               {"assumed", assumed}};
  if (limit.memory > 0) json["memory"] = limit.memory;
  if (limit.gpus > 0) json["gpus"] = limit.gpus;
  if (limits_memory) json["limits_memory"] = true;
  if (deadline) json["deadline"] = *deadline;
  if (batch) {
    json[batch->system] = {{"partition", batch->partition},
                           {"strategy", batch->strategy},
                           {"reserve", batch->reserve},
                           {"max_jobs", batch->max_jobs},
                           {"token", batch->token}};
  }
  json["platform"] = Json::parse(format_platform(platform, true));
  for (const Workflow& workflow : workflows) {
    json["workflows"].push_back(Json::parse(format_workflow(workflow, WorkflowFormat::json)));
  }
  write_file(run.description(), json.dump() + "\n");
  std::error_code ignored;  // the folder is closed to others as well
  std::filesystem::permissions(run.description(), std::filesystem::perms(0600), ignored);
}

namespace {

MemoryAndGpus limit_in(const Json& json) {
  return {.memory = std::clamp(json.value("memory", Bytes{0}), Bytes{0}, kMaxMemory),
          .gpus = std::clamp(json.value("gpus", Count{0}), Count{0}, kMaxProcessors)};
}

RunDescription description_of(const Json& json, const std::string& file) {
  if (!json.is_object() || !json.contains("workflows") || !json.contains("platform")) {
    throw InputError(file + ": not the description of a run");
  }
  RunDescription description{.workflows = {},
                             .assumed = json.value("assumed", std::vector<std::string>()),
                             .folder = json.value("folder", ""),
                             .platform = parse_platform(json["platform"].dump(), file),
                             .goal = goal_called(json.value("goal", "")),
                             .syncs = json.value("sync", true),
                             .keep_going = json.value("keep_going", false),
                             .is_static = json.value("static", false),
                             .band = json.value("band", 0.2),
                             .stability = json.value("stability", planning::kStability),
                             .limit = limit_in(json),
                             .limits_memory = json.value("limits_memory", false)};
  if (json.contains("deadline") && json["deadline"].is_number_integer()) {
    description.deadline = json["deadline"].get<Time>();
    if (std::abs(*description.deadline) > kLatestDeadline) {
      throw InputError(file + ": the deadline is beyond all times");
    }
  }
  // What a batch system is told stands under its name, whichever that is.
  for (const auto& [key, how] : json.items()) {
    if (key == "platform" || !how.is_object()) continue;
    description.batch = {.system = key,
                         .partition = how.value("partition", ""),
                         .strategy = how.value("strategy", ""),
                         .reserve = how.value("reserve", ""),
                         .max_jobs = how.value("max_jobs", Count{0}),
                         .token = how.value("token", "")};
  }
  for (const Json& workflow : json["workflows"]) {
    description.workflows.push_back(parse_workflow(workflow.dump(), file));
  }
  return description;
}

}  // namespace

RunDescription RunDescription::read(const RunFolder& run) {
  const std::string file = run.description();
  const std::string text = read_file(file);
  // Refuses what is no JSON, and nesting that would take the stack when it is copied.
  io::parse_json(text, file);
  try {
    return description_of(Json::parse(text), file);
  } catch (const Json::exception& error) {
    throw InputError(file + ": not the description of a run: " + error.what());
  }
}

OwnRun begin_run(const std::string& state, const RunDescription& description) {
  RunFolder folder = RunFolder::create(state, description.workflows.front().name());
  RunLock lock = RunLock::require(folder);
  description.write(folder);
  sync_folders(std::filesystem::path(folder.description()).parent_path().string());
  return {std::move(folder), std::move(lock)};
}

Plan plan_for_run(const Problem& problem) {
  PlanningContext context(problem);
  return find_answer(context, {.haste = Haste::running}).plan;
}

}  // namespace dovetail::run
