// Graphviz DOT with our attributes, readable by `dot` and by us.
#include <fmt/format.h>

#include "io/formats/workflow_formats.hpp"
#include "io/text.hpp"

namespace dovetail::io {

namespace {

// Quotes and backslashes are escaped, everything else stays as it is.
std::string dot_string(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out += '"';
}

// A resource's name inside of a "name=seconds, ..." list.
std::string list_name(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (c == ',' || c == '=' || c == '\\' || c == ' ') out += '\\';
    out += c;
  }
  return out;
}

std::string range_text(ProcessorRange processors) {
  if (processors.max == processors.min) return std::to_string(processors.min);
  const std::string max = processors.max == 0 ? "" : std::to_string(processors.max);
  return fmt::format("{}..{}", processors.min, max);
}

// The attributes of the time model: key=value pairs joined with commas.
std::string time_attributes(const TimeSpec& time) {
  std::string list;
  const auto add = [&](const std::string& name, double seconds) {
    list += (list.empty() ? "" : ", ") + name + "=" + number_text(seconds);
  };
  switch (time.kind) {
    case TimeKind::fixed:
      list = "time=" + dot_string(number_text(time.seconds));
      break;
    case TimeKind::amdahl:
      return fmt::format("time={}, alpha={}, processors={}", dot_string(number_text(time.seconds)),
                         dot_string(number_text(time.alpha)),
                         dot_string(range_text(time.processors)));
    case TimeKind::table:
      for (const auto& [procs, seconds] : time.measured) add(std::to_string(procs), seconds);
      return "times=" + dot_string(list);
    case TimeKind::per_resource:
      for (const auto& [name, seconds] : time.on_resource) add(list_name(name), seconds);
      list = "time_on=" + dot_string(list);
      break;
  }
  return list +
         (time.processors.min == 1 ? "" : fmt::format(", processors={}", time.processors.min));
}

}  // namespace

std::string write_dot(const Workflow& workflow) {
  std::string out = "digraph " + dot_string(workflow.name()) + " {\n";
  for (TaskId task = 0; task < workflow.size(); ++task) {
    out += fmt::format("  {} [{}", dot_string(workflow.id(task)),
                       time_attributes(workflow.time_spec(task)));
    if (!workflow.run(task).empty()) out += ", run=" + dot_string(workflow.run(task));
    out += "];\n";
  }
  for (TaskId task = 0; task < workflow.size(); ++task) {
    const auto before = workflow.predecessors(task);
    const auto transfers = workflow.transfers_in(task);
    for (std::size_t i = 0; i < before.size(); ++i) {
      out += fmt::format("  {} -> {}", dot_string(workflow.id(before[i])),
                         dot_string(workflow.id(task)));
      if (!transfers.empty() && transfers[i] != 0) {
        out += fmt::format(" [transfer={}]", format_seconds(transfers[i]));
      }
      out += ";\n";
    }
  }
  return out += "}\n";
}

}  // namespace dovetail::io
