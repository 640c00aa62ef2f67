// Ensembles that are planned on the calendar: any workflow as the month, reservations, windows.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "cli/command.hpp"
#include "cli/ensemble/ensemble_input.hpp"
#include "core/mapped.hpp"
#include "dovetail/check.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

namespace {

namespace fs = std::filesystem;

std::vector<TaskId> chain_tasks(const io::EnsembleFile& file, const Workflow& workflow) {
  std::vector<TaskId> chain;
  for (const std::string& id : file.chain) {
    const auto task = workflow.find(id);
    if (!task) {
      io::NearestWord nearest(id);
      for (TaskId t = 0; t < workflow.size(); ++t) nearest.offer(workflow.id(t));
      throw InputError(file.file, file.chain_line,
                       fmt::format("chain: {} has no task {}{}", file.repeat, io::quote(id),
                                   nearest.suggestion()));
    }
    chain.push_back(*task);
  }
  return chain;
}

// Tasks off the chain get the fewest processors that they allow.
void warn_of_narrow_tasks(const EnsembleInput& input, const planning::RepeatedUnit& unit) {
  for (const TaskId task : unit.off_chain()) {
    const TaskTime time = unit.workflow().time(task);
    const Count least = time.min_procs();
    if (time.max_procs() <= least || time.duration(time.max_procs()) >= time.duration(least)) {
      continue;
    }
    tell("{}: task {} of {} is not on the chain and runs on {}, the fewest that it allows\n",
         input.file.file, io::quote(unit.workflow().id(task)), input.file.repeat,
         counted(static_cast<std::size_t>(least), "processor"));
  }
}

// Measured times apply to the cluster as it is, so its speed does not count.
Platform planned_platform(const EnsembleInput& input) {
  if (!input.file.repeat.empty()) return input.platform;
  const auto own = input.platform.clusters();
  std::vector<Cluster> clusters(own.begin(), own.end());
  for (Cluster& cluster : clusters) cluster.speed = 1;
  return Platform(input.platform.now(), std::move(clusters), input.platform.wall_clock());
}

// All tasks one after the other, each at its slowest.
double longest_seconds(const Workflow& workflow) {
  double sum = 0;
  for (TaskId task = 0; task < workflow.size(); ++task) {
    double longest = workflow.time(task).seconds();
    for (const TimePoint& point : workflow.time(task).points()) {
      longest = std::max(longest, point.seconds);
    }
    sum += longest;
  }
  return sum;
}

void reject_huge_plan(const EnsembleInput& input, const planning::ChainEnsemble& chains) {
  const std::int64_t months = std::int64_t{chains.scenarios} * chains.months;
  double slowest = 1;
  for (const Cluster& cluster : chains.platform.clusters()) {
    slowest = std::min(slowest, cluster.speed);
  }
  for (const planning::RepeatedUnit& unit : chains.units) {
    const std::int64_t tasks = static_cast<std::int64_t>(unit.workflow().size()) * months;
    if (tasks > kMostTasksKept) {
      throw InputError(
          fmt::format("{}: {} tasks are too many to plan on the calendar, the most is {}; use "
                      "fewer scenarios or months",
                      input.file.file, tasks, kMostTasksKept));
    }
    if (longest_seconds(unit.workflow()) / slowest * static_cast<double>(months) > 1e15) {
      throw InputError(input.file.file + ": all months together take more than 1e15 seconds");
    }
  }
}

std::vector<planning::RepeatedUnit> units_of(const EnsembleInput& input) {
  std::vector<planning::RepeatedUnit> units;
  if (!input.file.repeat.empty()) {
    // The workflow file stands beside the ensemble file.
    const fs::path folder = fs::path(input.file.file).parent_path();
    const Workflow workflow = read_workflow((folder / input.file.repeat).string());
    const Problem month({workflow}, input.platform);  // says which task fits nowhere
    units.emplace_back(month.workflows().front(), chain_tasks(input.file, workflow));
    warn_of_narrow_tasks(input, units.front());
    return units;
  }
  if (input.ensemble.rules.disk || input.ensemble.rules.full_speed_posts > 0) {
    throw InputError(input.file.file +
                     ": disk and full_speed_posts are simulated only on clusters without "
                     "reservations and windows, and without --plan and --export");
  }
  for (const EnsembleSite& site : input.ensemble.sites) {
    units.push_back(planning::month_unit(group_sizes(site, input.ensemble.rules), site.times.post,
                                         site.times.posts));
  }
  return units;
}

bool is_scenario_file(const std::string& name) {
  const std::string_view number = std::string_view(name).substr(0, name.find('.'));
  return name.ends_with(".yaml") && number.size() > 1 && number.size() + 5 == name.size() &&
         number.front() == 's' &&
         std::all_of(number.begin() + 1, number.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The scenarios of an earlier export. Throws InputError when the folder has other files.
std::vector<fs::path> earlier_scenarios(const std::string& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (is_scenario_file(name)) {
      found.push_back(folder + "/" + name);
    } else if (name != "plan.json" && name != "cluster.yaml") {
      throw InputError(
          fmt::format("--export: folder {} has other files, such as {}; name a new folder, or an "
                      "earlier export",
                      io::quote(folder), io::quote(name)));
    }
  }
  return found;
}

}  // namespace

std::optional<planning::ChainEnsemblePlan> calendar_plan(const EnsembleInput& input,
                                                         std::string& full_cluster) {
  if (input.choices.dispatch == planning::Dispatch::ideal) {
    throw InputError(
        "--dispatch: ideal lets months of a scenario overlap; no plan of reservations, windows or "
        "tasks can do that");
  }
  planning::ChainEnsemble chains{.platform = planned_platform(input),
                                 .units = units_of(input),
                                 .windows = mapped(input.ensemble.sites, &EnsembleSite::windows),
                                 .scenarios = input.ensemble.scenarios,
                                 .months = input.ensemble.months,
                                 .node_multiples = input.ensemble.rules.node_multiples,
                                 .post_processors = input.ensemble.rules.post_processors,
                                 .post_node = input.ensemble.rules.post_node};
  reject_huge_plan(input, chains);
  std::size_t full = 0;
  auto plan = planning::plan_chain_ensemble(chains, input.choices, &full);
  if (!plan) {
    full_cluster = input.platform.clusters()[full].name;
    return std::nullopt;
  }
  const auto violations = check(plan->problem, plan->plan, 1);
  if (!violations.empty()) throw std::logic_error("the plan is not valid: " + violations.front());
  return plan;
}

void export_plan(const planning::ChainEnsemblePlan& plan, const std::string& folder) {
  const std::vector<fs::path> earlier = earlier_scenarios(folder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw ExecutionError(
        fmt::format("--export: folder {} cannot be made: {}", io::quote(folder), error.message()));
  }
  std::map<std::string, std::string> texts;  // by path
  for (const Workflow& workflow : plan.problem.workflows()) {
    texts[fmt::format("{}/{}.yaml", folder, workflow.name())] =
        format_workflow(workflow, WorkflowFormat::yaml);
  }
  texts[folder + "/cluster.yaml"] = format_platform(plan.problem.platform(), false);
  texts[folder + "/plan.json"] = format_plan(make_record(plan.problem, plan.plan));
  std::vector<OutputFile> files;
  for (const auto& [path, text] : texts) files.push_back({path, text});
  write_files(files);
  for (const fs::path& file : earlier) {
    if (!texts.contains(file.string())) fs::remove(file, error);
  }
}

}  // namespace dovetail::cli
