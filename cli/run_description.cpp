#include "run_description.hpp"

#include <nlohmann/json.hpp>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "dovetail/planner.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

namespace {

using Json = nlohmann::ordered_json;

// Beyond that, trying all planners would keep the first task waiting.
constexpr std::size_t kManyTasks = 1000;

}  // namespace

Problem RunDescription::problem() const {
  for (const Workflow& workflow : workflows) {
    for (TaskId task = 0; task < workflow.size(); ++task) {
      if (!workflow.run(task).empty()) continue;
      throw InputError("workflow " + io::quote(workflow.name()) + ": task " +
                       io::quote(workflow.id(task)) + " has nothing to run; give it \"run\"");
    }
  }
  return Problem(workflows, Platform::empty(processors, "local"));
}

void RunDescription::write(const exec::RunFolder& run) const {
  Json json = {{"folder", folder}, {"processors", processors}, {"keep_going", keep_going}};
  for (const Workflow& workflow : workflows) {
    json["workflows"].push_back(Json::parse(format_workflow(workflow, WorkflowFormat::json)));
  }
  write_file(run.description(), json.dump(1) + "\n");
}

RunDescription RunDescription::read(const exec::RunFolder& run) {
  const std::string file = run.description();
  const Json json = Json::parse(read_file(file), nullptr, false);
  if (!json.is_object() || !json.contains("workflows")) {
    throw InputError(file + ": not the description of a run");
  }
  RunDescription description{.workflows = {},
                             .folder = json.value("folder", ""),
                             .processors = json.value("processors", 1),
                             .keep_going = json.value("keep_going", false)};
  for (const Json& workflow : json["workflows"]) {
    description.workflows.push_back(parse_workflow(workflow.dump(), file));
  }
  return description;
}

Plan plan_for_run(const Problem& problem) {
  if (problem.task_count() > kManyTasks) return plan(*find_planner("BL_CPAR_BD_CPAR"), problem);
  auto plans = plan_all(problem);
  return std::move(plans[best_plan(plans, problem.goal())]);
}

}  // namespace dovetail::cli
