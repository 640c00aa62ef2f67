// Reads and writes our own workflow format, as YAML or JSON. docs/formats.md describes it field by
// field.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/emit.hpp"
#include "io/formats/node_fields.hpp"
#include "io/formats/workflow_formats.hpp"
#include "io/text.hpp"

namespace dovetail::io {

namespace {

constexpr std::array<std::string_view, 20> kTaskKeys = {
    "id",          "run",     "after",      "time",    "alpha",
    "times",       "time_on", "processors", "memory",  "memory_per_processor",
    "gpus",        "nodes",   "requires",   "kind",    "directory",
    "environment", "inputs",  "outputs",    "timeout", "retries"};

// For a moldable task: a range, or one number that is both ends of it.
ProcessorRange moldable_processors(const Record& task) {
  const auto field = task.find("processors");
  if (!field) return {};
  if (field->kind() == ValueKind::mapping) return read_range(task, *field);
  const Count processors = task.count(*field, 1);
  return {processors, processors};
}

// Each of its nodes gives a task at least one processor.
Count fewest_processors(const TaskNeeds& needs) { return std::max<Count>(1, needs.min_nodes); }

void require_processors(const Record& task, Value field, Count most, const TaskNeeds& needs) {
  if (most >= fewest_processors(needs)) return;
  task.fail(field, fmt::format("{} for {} nodes; each node gives at least one",
                               counted(most, "processor"), needs.min_nodes));
}

// For a task of one size.
Count fixed_processors(const Record& task, const TaskNeeds& needs) {
  const auto field = task.find("processors");
  if (!field) return fewest_processors(needs);
  if (field->kind() == ValueKind::mapping) {
    task.fail(*field,
              "a range needs a task that can use it; add \"alpha\", or \"times\" "
              "instead of \"time\", or give one number");
  }
  const Count processors = task.count(*field, 1);
  require_processors(task, *field, processors, needs);
  return processors;
}

TimeSpec read_measured_times(const Record& task, Value field) {
  const Record times(field, task);
  if (times.value().size() == 0) task.fail(field, "expected at least one count with its time");
  TimeSpec spec = TimeSpec::table({}, moldable_processors(task));
  for (Value item : times.value().items()) {
    const auto processors = parse_processors(item.key());
    if (!processors) {
      task.fail(field, fmt::format("expected processors (a whole number from 1 to {}) as key, "
                                   "found {}",
                                   kMaxProcessors, quote(item.key())));
    }
    spec.measured.emplace_back(*processors, times.duration(item));
  }
  return spec;
}

TimeSpec read_resource_times(const Record& task, Value field, const TaskNeeds& needs) {
  const Record times(field, task);
  if (times.value().size() == 0) task.fail(field, "expected at least one resource with its time");
  TimeSpec spec = TimeSpec::per_resource({}, fixed_processors(task, needs));
  for (Value item : times.value().items()) {
    if (item.key().empty()) times.fail_at(item.line(), "a resource has an empty name");
    spec.on_resource.emplace_back(item.key(), times.duration(item));
  }
  return spec;
}

bool has_time(const Record& task) {
  return task.find("time") || task.find("times") || task.find("time_on");
}

TimeSpec read_time(const Record& task, const TaskNeeds& needs) {
  const auto time = task.find("time");
  const auto times = task.find("times");
  const auto time_on = task.find("time_on");
  const auto alpha = task.find("alpha");
  const int given = (time ? 1 : 0) + (times ? 1 : 0) + (time_on ? 1 : 0);
  if (given > 1) {
    task.fail_at(task.line(), "give only one of \"time\", \"times\" and \"time_on\"");
  }
  if (alpha && !time) task.fail(*alpha, "it goes with \"time\" only; leave it out");
  if (times) return read_measured_times(task, *times);
  if (time_on) return read_resource_times(task, *time_on, needs);
  const double seconds = task.duration(*time);
  if (!alpha) return TimeSpec::fixed(seconds, fixed_processors(task, needs));
  return TimeSpec::amdahl(seconds, task.number(*alpha, 0, 1), moldable_processors(task));
}

// One text, or a list of them.
std::vector<std::string> read_texts(const Record& task, std::string_view key) {
  const auto field = task.find(key);
  if (!field) return {};
  if (field->kind() != ValueKind::sequence) return {std::string(task.text(*field))};
  std::vector<std::string> texts;
  for (Value item : field->items()) {
    texts.emplace_back(task.text(item));
    if (texts.back().empty()) task.fail(*field, "expected the name of a file, found nothing");
  }
  return texts;
}

TaskExecution read_execution(const Record& task) {
  constexpr Count kMaxRetries = 1000;
  TaskExecution execution;
  execution.kind = task.find_text("kind").value_or("");
  execution.directory = task.find_text("directory").value_or("");
  if (const auto timeout = task.find("timeout")) {
    execution.timeout_seconds = task.duration(*timeout);
    if (execution.timeout_seconds == 0) task.fail(*timeout, "expected more than 0");
  }
  execution.retries =
      static_cast<std::uint32_t>(task.find_count("retries", 0, kMaxRetries).value_or(0));
  execution.inputs = read_texts(task, "inputs");
  execution.outputs = read_texts(task, "outputs");
  if (const auto field = task.find("environment")) {
    const Record environment(*field, task);
    for (Value item : environment.value().items()) {
      if (item.key().empty() || item.key().find('=') != std::string_view::npos) {
        task.fail(*field, "expected the name of a variable as key, found " + quote(item.key()));
      }
      execution.environment.emplace_back(item.key(), environment.text(item));
    }
  }
  return execution;
}

WorkflowTerms read_terms(const Record& top) {
  WorkflowTerms terms;
  terms.weight = top.find_number("weight", kMinWeight, kMaxWeight).value_or(1);
  if (const auto ready = top.find("ready_at")) {
    terms.ready_is_date = is_date(*ready);
    const double seconds = read_moment(top, *ready, {.wall = terms.ready_is_date});
    if (seconds < 0) top.fail(*ready, "a time cannot be negative, found " + describe(*ready));
    terms.ready_at = time_ceil(seconds);
  }
  return terms;
}

class WorkflowReader {
 public:
  WorkflowReader(const Document& document, const WorkflowReadOptions& options)
      : file_(document.file()), options_(options), top_(document.root()) {}

  Workflow read() {
    if (top_.find("clusters")) {
      top_.fail_at(top_.line(),
                   "this is a cluster file or a plan; expected a workflow with "
                   "\"tasks\", and clusters belong to -c");
    }
    top_.only({"name", "weight", "ready_at", "tasks"});
    const Value tasks = top_.need("tasks");
    if (top_.list(tasks).begin() == top_.list(tasks).end()) {
      top_.fail(tasks, "the workflow has no tasks");
    }
    name_ = top_.find_text("name").value_or(name_from_file(file_));
    builder_.set_name(name_);
    builder_.set_terms(read_terms(top_));
    std::size_t number = 0;
    for (Value task : tasks.items()) add_task(Record(task, "task", number++));
    // Edges come second, since "after" may name a task further down.
    TaskId id = 0;
    for (Value task : tasks.items()) add_edges(task, id++);
    return at_place(file_, tasks.line(), [&] { return std::move(builder_).build(); });
  }

 private:
  void add_task(Record task) {
    task.name_by("id");
    task.only(kTaskKeys);
    const Value id = task.need("id");
    TaskSpec spec{.id = std::string(task.text(id)),
                  .time = {},
                  .execution = read_execution(task),
                  .needs = read_needs(task)};
    spec.run = task.find_text("run").value_or("");
    spec.time = has_time(task) ? read_time(task, spec.needs) : estimate(task, spec);
    at_place(file_, id.line(), [&] { return builder_.add_task(spec); });
  }

  // The time of a task that gives none, from the caller's estimate.
  TimeSpec estimate(const Record& task, const TaskSpec& spec) const {
    if (const auto alpha = task.find("alpha")) {
      task.fail(*alpha, "it goes with \"time\" only; leave it out");
    }
    const auto processors = task.find("processors");
    const Count fewest = fewest_processors(spec.needs);
    ProcessorRange range{fewest, fewest};
    if (processors) {
      range = moldable_processors(task);
      if (range.max != 0) require_processors(task, *processors, range.max, spec.needs);
      range.min = std::max(range.min, fewest);
    }
    const std::string& kind = spec.execution.kind;
    const UntimedTask untimed{.workflow = name_,
                              .id = spec.id,
                              .kind = kind.empty() ? std::string(kind_of_id(spec.id)) : kind,
                              .is_moldable = processors && processors->kind() == ValueKind::mapping,
                              .processors = range};
    const bool can_be_measured = !spec.run.empty() && options_.missing_time;
    if (const auto time = can_be_measured ? options_.missing_time(untimed) : std::nullopt) {
      return *time;
    }
    task.fail_at(task.line(), "it has no run time; give \"time\", \"times\" or \"time_on\"");
  }

  void add_edges(Value value, TaskId to) {
    Record task(value, "task", to);
    const auto after = task.find("after");
    if (!after) return;
    task.name_by("id");
    if (after->kind() == ValueKind::sequence) {
      for (Value item : after->items()) add_edge(task, item, to);
    } else {
      add_edge(task, *after, to);
    }
  }

  void add_edge(const Record& task, Value item, TaskId to) {
    if (item.kind() != ValueKind::mapping) {
      builder_.add_edge(predecessor(task, item, task.text(item), to), to);
      return;
    }
    const Record edge(item, task);
    edge.only({"task", "transfer"});
    const Value name = edge.need("task");
    const TaskId from = predecessor(edge, name, edge.text(name), to);
    const auto transfer = edge.find("transfer");
    // Rounded up as run times are: the task waits for the whole transfer.
    builder_.add_edge(from, to, transfer ? milliseconds_up(edge.duration(*transfer)) : 0);
  }

  TaskId predecessor(const Record& record, Value field, std::string_view id, TaskId to) const {
    const auto from = builder_.find(id);
    if (!from) {
      const auto id_of = [](Value task) { return task.find("id")->text(); };
      record.fail_at(field.line(), "after: there is no task " + quote(id) +
                                       did_you_mean(id, top_.need("tasks").items(), id_of));
    }
    if (*from == to) record.fail_at(field.line(), "after: the task comes after itself");
    return *from;
  }

  const std::string& file_;
  const WorkflowReadOptions& options_;
  Record top_;
  std::string name_;
  WorkflowBuilder builder_;
};

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
  Emitter::Fields fields;
  if (processors.min != 1) fields.emplace_back("min", std::to_string(processors.min));
  if (processors.max != 0) fields.emplace_back("max", std::to_string(processors.max));
  return emit.mapping(fields);
}

void add_time(const TimeSpec& time, const Emitter& emit, Emitter::Fields& fields) {
  Emitter::Fields points;
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

void add_execution(const TaskExecution& execution, const Emitter& emit, Emitter::Fields& fields) {
  const auto add = [&](const char* key, std::string value) {
    fields.emplace_back(key, std::move(value));
  };
  if (!execution.kind.empty()) add("kind", emit.text(execution.kind));
  if (!execution.directory.empty()) add("directory", emit.text(execution.directory));
  if (!execution.environment.empty()) {
    Emitter::Fields variables;
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
  std::vector<Emitter::Fields> tasks(workflow.size());
  for (TaskId task = 0; task < workflow.size(); ++task) {
    Emitter::Fields& fields = tasks[task];
    fields.emplace_back("id", emit.text(workflow.id(task)));
    if (!workflow.run(task).empty()) fields.emplace_back("run", emit.text(workflow.run(task)));
    if (!workflow.predecessors(task).empty()) {
      fields.emplace_back("after", predecessors(workflow, task, emit));
    }
    add_time(workflow.time_spec(task), emit, fields);
    add_needs(workflow.needs(task), emit, fields);
    add_execution(workflow.execution(task), emit, fields);
  }
  Emitter::Fields head{{"name", emit.text(workflow.name())}};
  const WorkflowTerms& terms = workflow.terms();
  if (terms.weight != 1) head.emplace_back("weight", number_text(terms.weight));
  if (terms.ready_at) {
    head.emplace_back("ready_at", emit.moment(*terms.ready_at, terms.ready_is_date));
  }
  return emit.file(head, "tasks", tasks);
}

}  // namespace

Workflow read_own_workflow(WorkflowText& text, const WorkflowReadOptions& options,
                           Warnings* /*warnings*/) {
  return WorkflowReader(text.document(), options).read();
}

std::string write_workflow_yaml(const Workflow& workflow) { return write(workflow, false); }
std::string write_workflow_json(const Workflow& workflow) { return write(workflow, true); }

}  // namespace dovetail::io
