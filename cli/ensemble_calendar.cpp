// Ensembles that are planned on the calendar: any workflow as the month, reservations, windows.
#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "dovetail/check.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "ensemble_input.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

namespace {

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

// The workflow file stands beside the ensemble file.
std::string beside(const std::string& file, const std::string& name) {
  const auto slash = file.rfind('/');
  if (name.starts_with("/") || slash == std::string::npos) return name;
  return file.substr(0, slash + 1) + name;
}

std::vector<RepeatedUnit> units_of(const EnsembleInput& input) {
  std::vector<RepeatedUnit> units;
  if (!input.file.repeat.empty()) {
    const Workflow workflow = read_workflow(beside(input.file.file, input.file.repeat));
    const Problem month({workflow}, input.platform);  // says which task fits nowhere
    units.emplace_back(month.workflows().front(), chain_tasks(input.file, workflow));
    return units;
  }
  if (input.ensemble.rules.disk || input.ensemble.rules.full_speed_posts > 0) {
    throw InputError(input.file.file +
                     ": disk and full_speed_posts are simulated only on clusters without "
                     "reservations and windows, and without --plan and --export");
  }
  for (const EnsembleSite& site : input.ensemble.sites) {
    units.push_back(
        month_unit(group_sizes(site, input.ensemble.rules), site.times.post, site.times.posts));
  }
  return units;
}

}  // namespace

std::optional<ChainEnsemblePlan> calendar_plan(const EnsembleInput& input) {
  if (input.choices.dispatch == Dispatch::ideal) {
    throw InputError(
        "--dispatch: ideal lets months of a scenario overlap; no plan of reservations, windows or "
        "tasks can do that");
  }
  ChainEnsemble chains{.platform = input.platform,
                       .units = units_of(input),
                       .windows = {},
                       .scenarios = input.ensemble.scenarios,
                       .months = input.ensemble.months,
                       .node_multiples = input.ensemble.rules.node_multiples,
                       .post_processors = input.ensemble.rules.post_processors,
                       .post_node = input.ensemble.rules.post_node};
  for (const EnsembleSite& site : input.ensemble.sites) chains.windows.push_back(site.windows);
  auto plan = plan_chain_ensemble(chains, input.choices);
  if (!plan) return std::nullopt;
  const auto violations = check(plan->problem, plan->plan, 1);
  if (!violations.empty()) throw std::logic_error("the plan is not valid: " + violations.front());
  return plan;
}

void export_plan(const ChainEnsemblePlan& plan, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);  // writing says what is wrong
  std::vector<std::string> texts;
  std::vector<std::string> names;
  for (const Workflow& workflow : plan.problem.workflows()) {
    names.push_back(fmt::format("{}/{}.yaml", folder, workflow.name()));
    texts.push_back(format_workflow(workflow, WorkflowFormat::yaml));
  }
  names.push_back(folder + "/cluster.yaml");
  texts.push_back(format_platform(plan.problem.platform(), false));
  names.push_back(folder + "/plan.json");
  texts.push_back(format_plan(make_record(plan.problem, plan.plan)));
  std::vector<OutputFile> files;
  for (std::size_t i = 0; i < names.size(); ++i) files.push_back({names[i], texts[i]});
  write_files(files);
}

}  // namespace dovetail::cli
