// Our own workflow format, written as YAML or JSON.
#include "dovetail/time.hpp"
#include "io/emit.hpp"
#include "io/formats/workflow_formats.hpp"
#include "io/text.hpp"

namespace dovetail::io {

namespace {

using Fields = Emitter::Fields;

std::string predecessors(const Workflow& workflow, TaskId task, const Emitter& emit) {
  const auto before = workflow.predecessors(task);
  const auto transfers = workflow.transfers_in(task);
  std::vector<std::string> items;
  for (std::size_t i = 0; i < before.size(); ++i) {
    std::string id = emit.text(workflow.id(before[i]));
    if (!transfers.empty() && transfers[i] != 0) {
      id = emit.mapping({{"task", id}, {"transfer", format_seconds(transfers[i])}});
    }
    items.push_back(std::move(id));
  }
  return emit.list(items);
}

std::string range(ProcessorRange processors, const Emitter& emit) {
  Fields fields;
  if (processors.min != 1) fields.emplace_back("min", std::to_string(processors.min));
  if (processors.max != 0) fields.emplace_back("max", std::to_string(processors.max));
  return emit.mapping(fields);
}

void add_time(const TimeSpec& time, const Emitter& emit, Fields& fields) {
  Fields points;
  switch (time.kind) {
    case TimeKind::fixed:
      fields.emplace_back("time", number_text(time.seconds));
      break;
    case TimeKind::amdahl:
      fields.emplace_back("time", number_text(time.seconds));
      fields.emplace_back("alpha", number_text(time.alpha));
      if (time.processors.min != 1 || time.processors.max != 0) {
        fields.emplace_back("processors", range(time.processors, emit));
      }
      return;
    case TimeKind::table:
      for (const auto& [procs, seconds] : time.measured) {
        points.emplace_back(std::to_string(procs), number_text(seconds));
      }
      fields.emplace_back("times", emit.mapping(points));
      return;
    case TimeKind::per_resource:
      for (const auto& [name, seconds] : time.on_resource) {
        points.emplace_back(emit.json() ? name : emit.text(name), number_text(seconds));
      }
      fields.emplace_back("time_on", emit.mapping(points));
      break;
  }
  if (time.processors.min != 1) {
    fields.emplace_back("processors", std::to_string(time.processors.min));
  }
}

std::string texts(const std::vector<std::string>& values, const Emitter& emit) {
  std::vector<std::string> items;
  for (const std::string& value : values) items.push_back(emit.text(value));
  return emit.list(items);
}

void add_execution(const TaskExecution& execution, const Emitter& emit, Fields& fields) {
  const auto add = [&](const char* key, std::string value) {
    fields.emplace_back(key, std::move(value));
  };
  if (!execution.kind.empty()) add("kind", emit.text(execution.kind));
  if (!execution.directory.empty()) add("directory", emit.text(execution.directory));
  if (!execution.environment.empty()) {
    Fields variables;
    for (const auto& [name, value] : execution.environment) {
      variables.emplace_back(emit.json() ? name : emit.text(name), emit.text(value));
    }
    add("environment", emit.mapping(variables));
  }
  if (!execution.inputs.empty()) add("inputs", texts(execution.inputs, emit));
  if (!execution.outputs.empty()) add("outputs", texts(execution.outputs, emit));
  if (execution.timeout_seconds > 0) add("timeout", number_text(execution.timeout_seconds));
  if (execution.retries > 0) add("retries", std::to_string(execution.retries));
}

std::string write(const Workflow& workflow, bool json) {
  const Emitter emit(json);
  std::vector<Fields> tasks(workflow.size());
  for (TaskId task = 0; task < workflow.size(); ++task) {
    Fields& fields = tasks[task];
    fields.emplace_back("id", emit.text(workflow.id(task)));
    if (!workflow.run(task).empty()) fields.emplace_back("run", emit.text(workflow.run(task)));
    if (!workflow.predecessors(task).empty()) {
      fields.emplace_back("after", predecessors(workflow, task, emit));
    }
    add_time(workflow.time_spec(task), emit, fields);
    add_execution(workflow.execution(task), emit, fields);
  }
  Fields head{{"name", emit.text(workflow.name())}};
  const WorkflowTerms& terms = workflow.terms();
  if (terms.weight != 1) head.emplace_back("weight", number_text(terms.weight));
  if (terms.ready_at) {
    head.emplace_back("ready_at", emit.moment(*terms.ready_at, terms.ready_is_date));
  }
  return emit.file(head, "tasks", tasks);
}

}  // namespace

std::string write_workflow_yaml(const Workflow& workflow) { return write(workflow, false); }
std::string write_workflow_json(const Workflow& workflow) { return write(workflow, true); }

}  // namespace dovetail::io
