// WfCommons WfFormat 1.5, with every field that its schema requires. The format knows tasks of one
// size and one time only: a moldable task is written with its time on its fewest processors.
#include <fmt/format.h>

#include <algorithm>

#include "dovetail/error.hpp"
#include "io/formats/workflow_formats.hpp"
#include "io/text.hpp"

namespace dovetail::io {

namespace {

// The schema wants a date of execution, and a planned workflow has none.
constexpr std::string_view kNeverExecuted = "1970-01-01T00:00:00+00:00";

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
  std::string out = "[";
  for (TaskId task : tasks) {
    if (out.size() > 1) out += ",";
    out += json_string(workflow.id(task));
  }
  return out += "]";
}

// The words of a command become program and arguments, so that joining them with spaces gives the
// command again; where that is impossible all of it is the program, as real instances have it.
std::string command(std::string_view run) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= run.size();) {
    const std::size_t end = std::min(run.find(' ', begin), run.size());
    words.push_back(run.substr(begin, end - begin));
    begin = end + 1;
  }
  const bool splits =
      std::none_of(words.begin(), words.end(), [](std::string_view word) { return word.empty(); });
  if (!splits) words = {run};
  std::string out = fmt::format(R"({{"program":{},"arguments":[)", json_string(words[0]));
  for (std::size_t i = 1; i < words.size(); ++i) {
    out += (i == 1 ? "" : ",") + json_string(words[i]);
  }
  return out += "]}";
}

// The longest path, which is how long the workflow takes on processors without end.
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
