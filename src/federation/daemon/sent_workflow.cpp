#include "federation/daemon/sent_workflow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "batch/job_script.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "dovetail/metrics.hpp"
#include "dovetail/planner.hpp"
#include "dovetail/problem.hpp"
#include "io/text.hpp"

namespace dovetail::federation {

namespace {

constexpr std::array<std::string_view, 4> kSentKeys = {"name", "weight", "ready_at", "tasks"};
// What a task may say. Folders, files and variables of the cluster are none of a client's business.
constexpr std::array<std::string_view, 15> kSentTaskKeys = {
    "id",         "run",   "after",   "time",    "alpha",  "times",
    "processors", "kind",  "timeout", "retries", "memory", "memory_per_processor",
    "gpus",       "nodes", "requires"};

[[noreturn]] void refuse_task(const std::string& id, const std::string& why) {
  throw Refusal(400, fmt::format("task {}: {}", io::quote(id), why),
                "tasks run services, as in \"render band=3\"; ask for the capabilities");
}

Json value_of(const Parameter& parameter, const std::string& text) {
  const bool is_number =
      parameter.kind == Parameter::Kind::number || parameter.kind == Parameter::Kind::whole;
  const auto number = is_number ? io::parse_number(text) : std::nullopt;
  return number ? Json(*number) : Json(text);
}

// "render band=3 width=400" as arguments of the service.
Arguments arguments_of(const DaemonDescription& description, const std::string& id,
                       const std::string& run) {
  std::istringstream words(run);
  std::string name;
  words >> name;
  const Service* service = description.find(name);
  if (service == nullptr || service->command.empty()) {
    refuse_task(id, "there is no service " + io::quote(name) + " for tasks here");
  }
  Json given = Json::object();
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    if (equals == std::string::npos)
      refuse_task(id, "expected NAME=VALUE, found " + io::quote(word));
    const std::string key = word.substr(0, equals);
    const auto parameter = std::ranges::find(service->parameters, key, &Parameter::name);
    if (parameter == service->parameters.end()) {
      refuse_task(id, fmt::format("service {} has no parameter {}", name, io::quote(key)));
    }
    given[key] = value_of(*parameter, word.substr(equals + 1));
  }
  try {
    Values values = check_parameters(*service, given);
    values["task"] = id;
    return expand(service->command, values);
  } catch (const Refusal& refusal) {
    refuse_task(id, refusal.what());
  }
}

std::string shell_words(const Arguments& arguments) {
  std::string all;
  for (const std::string& word : arguments) {
    all += (all.empty() ? "" : " ") + batch::shell_quote(word);
  }
  return all;
}

void replace_command(const DaemonDescription& description, Json& task) {
  if (!task.is_object() || !task.contains("id") || !task["id"].is_string()) {
    throw Refusal(400, "workflow: a task has no id");
  }
  const std::string id = task["id"];
  if (!is_word(id)) refuse_task(id, "expected letters, digits, '-', '_' and '.' as its id");
  for (const auto& [key, value] : task.items()) {
    if (std::ranges::find(kSentTaskKeys, key) != kSentTaskKeys.end()) continue;
    refuse_task(id, io::quote(key) + " cannot be sent to a cluster");
  }
  if (!task.contains("run") || !task["run"].is_string()) refuse_task(id, "it runs nothing");
  task["run"] = shell_words(arguments_of(description, id, task["run"]));
}

}  // namespace

SentWorkflow prepare_workflow(const DaemonDescription& description, const Json& workflow) {
  if (!workflow.is_object() || !workflow.contains("tasks") || !workflow["tasks"].is_array()) {
    throw Refusal(400, "workflow: expected a workflow with tasks, as JSON");
  }
  // Another key could make it a file of another format, whose commands are not checked here.
  for (const auto& [key, value] : workflow.items()) {
    if (std::ranges::find(kSentKeys, key) != kSentKeys.end()) continue;
    throw Refusal(400, "workflow: " + io::quote(key) + " cannot be sent to a cluster");
  }
  Json made = {{"name", "workflow"}, {"tasks", workflow["tasks"]}};
  for (Json& task : made["tasks"]) replace_command(description, task);
  try {
    SentWorkflow sent{.text = made.dump(1) + "\n"};
    const Cluster cluster{.name = "cluster",
                          .processors = description.processors,
                          .cores_per_node = description.cores_per_node};
    const Workflow parsed = parse_workflow(sent.text, "workflow");
    for (TaskId task = 0; task < parsed.size(); ++task) {
      if (parsed.needs(task).gpus == 0) continue;
      refuse_task(std::string(parsed.id(task)),
                  "needs GPUs, but this cluster says nothing about any");
    }
    const Problem problem({parsed}, Platform(0, {cluster}), Goal::turnaround, std::nullopt);
    sent.makespan = makespan(plan(*find_planner("BL_CPAR_BD_CPAR"), problem));
    return sent;
  } catch (const InputError& error) {
    throw Refusal(400, error.what());
  }
}

Service workflow_service(Count processors) {
  return {.name = kWorkflowService,
          .main = {kWorkflowService},
          .times = {.main = {{processors, kSecond}}},
          .tries = 1,
          .watchdog = 1e7};
}

std::string workflow_file(const std::string& folder) { return folder + "/workflow.json"; }

}  // namespace dovetail::federation
