// Reads WfCommons WfFormat, versions 1.3 to 1.6, and writes version 1.5. Version 1.5 split the list
// of tasks into a specification and an execution; older versions keep both halves in one list.
// Fields that we do not use are ignored, since the format is not ours.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "dovetail/error.hpp"
#include "io/formats/workflow_formats.hpp"
#include "io/schema.hpp"
#include "io/text.hpp"

namespace dovetail::io {

namespace {

constexpr std::array<std::string_view, 4> kVersions = {"1.3", "1.4", "1.5", "1.6"};
constexpr std::size_t kMaxWarnings = 20;

class WfCommonsReader {
 public:
  WfCommonsReader(const Document& document, const WorkflowReadOptions& options, Warnings* warnings)
      : file_(document.file()), top_(document.root()), options_(options), warnings_(warnings) {}

  Workflow read() {
    const std::string_view version = top_.text(top_.need("schemaVersion"));
    if (std::find(kVersions.begin(), kVersions.end(), version) == kVersions.end()) {
      top_.fail(
          top_.need("schemaVersion"),
          fmt::format("expected one of {}, found {}", fmt::join(kVersions, ", "), quote(version)));
    }
    const auto name = top_.find("name");
    builder_.set_name(name && !top_.text(*name).empty() ? std::string(top_.text(*name))
                                                        : name_from_file(file_));
    const Record workflow(top_.need("workflow"), top_);
    const Value tasks = find_tasks(workflow);
    std::size_t number = 0;
    for (Value task : workflow.list(tasks)) add_task(Record(task, "task", number++));
    if (number == 0) workflow.fail(tasks, "the workflow has no tasks");
    TaskId id = 0;
    for (Value task : tasks.items()) add_edges(task, id++);
    Workflow result = at_place(file_, tasks.line(), [&] { return std::move(builder_).build(); });
    if (warnings_ != nullptr) warn_about_files(tasks, result);
    return result;
  }

 private:
  // Returns the list of tasks, and stores the executed half of each.
  Value find_tasks(const Record& workflow) {
    const auto specification = workflow.find("specification");
    if (!specification) return workflow.need("tasks");
    if (const auto execution = workflow.find("execution")) {
      Record(*execution, workflow).for_each("tasks", "executed task", [&](const Record& task) {
        executed_.emplace(task.text(task.need("id")), task.value());
      });
    }
    return Record(*specification, workflow).need("tasks");
  }

  void add_task(Record task) {
    const auto name = task.find("name");
    // Versions before 1.4 may lack ids; names then serve as ids.
    const std::string_view id = task.text(task.find("id") ? task.need("id") : task.need("name"));
    task.set_name(id);
    TaskSpec spec{.id = std::string(id),
                  .time = TimeSpec::fixed(run_seconds(task, id), processors(task, id))};
    spec.run = command(task, id);
    spec.needs.memory = memory(task, id);
    const TaskId number = at_place(file_, task.line(), [&] { return builder_.add_task(spec); });
    if (name) by_name_.emplace(task.text(*name), number);
  }

  // The record that holds run time and command: the executed half in 1.5, the task itself before.
  std::optional<Value> execution_of(const Record& task, std::string_view id) const {
    const auto found = executed_.find(id);
    if (found != executed_.end()) return found->second;
    return executed_.empty() ? std::optional(task.value()) : std::nullopt;
  }

  double run_seconds(const Record& task, std::string_view id) const {
    if (const auto execution = execution_of(task, id)) {
      Record record(*execution, "task", 0);
      record.set_name(id);
      for (std::string_view key : {"runtimeInSeconds", "runtime"}) {
        if (const auto field = record.find(key)) return record.number(*field, 0, kMaxSeconds);
      }
    }
    if (options_.default_seconds) return *options_.default_seconds;
    task.fail_at(task.line(),
                 "it has no run time (runtimeInSeconds); give a default (--default-time)");
  }

  // The cores on which the task ran, of which its time is; 0 says nothing.
  Count processors(const Record& task, std::string_view id) const {
    const auto execution = execution_of(task, id);
    if (!execution) return 1;
    Record record(*execution, "task", 0);
    record.set_name(id);
    // Versions before 1.4 have the shorter word.
    for (std::string_view key : {"coreCount", "cores"}) {
      if (const auto count = record.find_count(key, 0)) return std::max<Count>(1, *count);
    }
    return 1;
  }

  // The most that the task used; 0, as in some instances, says nothing.
  Bytes memory(const Record& task, std::string_view id) const {
    const auto execution = execution_of(task, id);
    if (!execution) return 0;
    Record record(*execution, "task", 0);
    record.set_name(id);
    const auto bytes = record.find_number("memoryInBytes", 0, static_cast<double>(kMaxMemory));
    return static_cast<Bytes>(std::ceil(bytes.value_or(0)));
  }

  // Arguments are joined as they are, since real instances hold fragments of shell text in them.
  std::string command(const Record& task, std::string_view id) const {
    const auto execution = execution_of(task, id);
    const auto field = execution ? execution->find("command") : std::nullopt;
    if (!field || field->kind() != ValueKind::mapping) return {};
    const Record record(*field, task);
    std::string run;
    if (const auto program = record.find("program")) run = record.text(*program);
    if (const auto arguments = record.find("arguments")) {
      for (Value argument : record.list(*arguments)) {
        if (!run.empty()) run += ' ';
        run += record.text(argument);
      }
    }
    return run;
  }

  void add_edges(Value value, TaskId number) {
    Record task(value, "task", number);
    task.set_name(task.text(task.find("id") ? task.need("id") : task.need("name")));
    for (const bool is_parent : {true, false}) {
      const auto others = task.find(is_parent ? "parents" : "children");
      if (!others) continue;
      for (Value other : task.list(*others)) add_edge(task, *others, other, number, is_parent);
    }
  }

  void add_edge(const Record& task, Value list, Value item, TaskId number, bool is_parent) {
    const std::string_view name = task.text(item);
    auto other = builder_.find(name);
    if (!other) {
      const auto found = by_name_.find(name);
      if (found == by_name_.end()) {
        const std::string hint =
            did_you_mean(name, by_name_, [](const auto& known) { return known.first; });
        task.fail_at(item.line(),
                     fmt::format("{}: there is no task {}{}", list.key(), quote(name), hint));
      }
      other = found->second;
    }
    if (*other == number) {
      task.fail_at(item.line(), fmt::format("{}: the task depends on itself", list.key()));
    }
    builder_.add_edge(is_parent ? *other : number, is_parent ? number : *other);
  }

  // The files that a task reads or writes: ids in 1.5, records with a link before.
  template <typename Use>
  static void for_each_file(Value task, bool output, Use use) {
    if (const auto list = task.find(output ? "outputFiles" : "inputFiles");
        list && list->kind() == ValueKind::sequence) {
      for (Value file : list->items()) {
        if (file.kind() == ValueKind::text) use(file.text());
      }
    }
    const auto files = task.find("files");
    if (!files || files->kind() != ValueKind::sequence) return;
    for (Value file : files->items()) {
      if (file.kind() != ValueKind::mapping) continue;
      const auto link = file.find("link");
      const auto name = file.find("name");
      if (!link || !name || link->kind() != ValueKind::text || name->kind() != ValueKind::text) {
        continue;
      }
      if (link->text() == (output ? "output" : "input")) use(name->text());
    }
  }

  // A task that reads a file should come after the task that writes it.
  void warn_about_files(Value tasks, const Workflow& workflow) {
    std::unordered_map<std::string_view, TaskId> writer;
    TaskId number = 0;
    for (Value task : tasks.items()) {
      for_each_file(task, true, [&](std::string_view file) { writer.emplace(file, number); });
      ++number;
    }
    std::size_t missing = 0;
    number = 0;
    for (Value task : tasks.items()) {
      for_each_file(task, false, [&](std::string_view file) {
        const auto from = writer.find(file);
        if (from == writer.end() || from->second == number) return;
        const auto before = workflow.predecessors(number);
        if (std::binary_search(before.begin(), before.end(), from->second)) return;
        if (++missing > kMaxWarnings) return;
        warnings_->push_back(
            fmt::format("{}:{}: task {} reads file {} of task {} but does not come after it", file_,
                        task.line(), quote(workflow.id(number)), quote(file),
                        quote(workflow.id(from->second))));
      });
      ++number;
    }
    if (missing > kMaxWarnings) {
      warnings_->push_back(fmt::format("{}: {} more such warnings", file_, missing - kMaxWarnings));
    }
  }

  const std::string& file_;
  Record top_;
  const WorkflowReadOptions& options_;
  Warnings* warnings_;
  WorkflowBuilder builder_;
  std::unordered_map<std::string_view, Value> executed_;
  std::unordered_map<std::string_view, TaskId> by_name_;
};

// The schema requires a date of execution, which a planned workflow does not have.
constexpr std::string_view kNeverExecuted = "1970-01-01T00:00:00+00:00";

// WfFormat knows one size and one time of a task: a moldable task is written with its time on its
// fewest processors.
double seconds_of(const Workflow& workflow, TaskId task) {
  const TimeSpec time = workflow.time_spec(task);
  switch (time.kind) {
    case TimeKind::fixed:
      return time.seconds;
    case TimeKind::amdahl: {
      const double procs = time.processors.min;
      return time.seconds * (time.alpha + (1 - time.alpha) / procs);
    }
    case TimeKind::table:
      return time.measured.front().second;
    case TimeKind::per_resource:
      break;
  }
  throw InputError("task " + quote(workflow.id(task)) +
                   ": WfFormat has no times per resource; write yaml, json or dot");
}

std::string ids(const Workflow& workflow, std::span<const TaskId> tasks) {
  return json_list(tasks, [&](TaskId task) { return json_string(workflow.id(task)); });
}

// Splits a command into program and arguments, so that joining them with spaces gives the command
// again. If that is impossible, the whole command is the program, as in real instances.
std::string command(std::string_view run) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= run.size();) {
    const std::size_t end = std::min(run.find(' ', begin), run.size());
    words.push_back(run.substr(begin, end - begin));
    begin = end + 1;
  }
  if (std::ranges::find(words, "") != words.end()) words = {run};
  return fmt::format(R"({{"program":{},"arguments":{}}})", json_string(words[0]),
                     json_list(std::span(words).subspan(1), json_string));
}

// The length of the longest path: the time of the workflow on unlimited processors.
double critical_path(const Workflow& workflow, const std::vector<double>& seconds) {
  std::vector<double> end(workflow.size());
  double longest = 0;
  for (TaskId task : workflow.topological_order()) {
    double start = 0;
    for (TaskId before : workflow.predecessors(task)) start = std::max(start, end[before]);
    end[task] = start + seconds[task];
    longest = std::max(longest, end[task]);
  }
  return longest;
}

}  // namespace

bool is_wfcommons(WorkflowText& text) {
  const Value root = text.document().root();
  if (root.kind() != ValueKind::mapping) return false;
  return root.find("workflow").has_value() || root.find("schemaVersion").has_value();
}

Workflow read_wfcommons(WorkflowText& text, const WorkflowReadOptions& options,
                        Warnings* warnings) {
  return WfCommonsReader(text.document(), options, warnings).read();
}

std::string write_wfcommons(const Workflow& workflow) {
  std::string specification;
  std::string execution;
  std::vector<double> seconds;
  for (TaskId task = 0; task < workflow.size(); ++task) {
    const std::string id = json_string(workflow.id(task));
    const std::string_view separator = task == 0 ? "\n    " : ",\n    ";
    seconds.push_back(seconds_of(workflow, task));
    specification += fmt::format(R"({}{{"name":{},"id":{},"parents":{},"children":{}}})", separator,
                                 id, id, ids(workflow, workflow.predecessors(task)),
                                 ids(workflow, workflow.successors(task)));
    execution += fmt::format(R"({}{{"id":{},"runtimeInSeconds":{},"coreCount":{})", separator, id,
                             number_text(seconds.back()), workflow.time(task).min_procs());
    if (const Bytes memory = workflow.needs(task).memory; memory != 0) {
      execution += fmt::format(",\"memoryInBytes\":{}", memory);
    }
    if (!workflow.run(task).empty()) execution += ",\"command\":" + command(workflow.run(task));
    execution += "}";
  }
  return fmt::format(R"({{"name":{},"schemaVersion":"1.5","workflow":{{
  "specification":{{"tasks":[{}],"files":[]}},
  "execution":{{"makespanInSeconds":{},"executedAt":"{}","tasks":[{}]}}}}}}
)",
                     json_string(workflow.name()), specification,
                     number_text(critical_path(workflow, seconds)), kNeverExecuted, execution);
}

}  // namespace dovetail::io
