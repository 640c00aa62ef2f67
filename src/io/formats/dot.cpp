// Reads and writes Graphviz DOT: nodes are tasks, edges are dependencies. Our attributes are time,
// alpha, processors, times, time_on and run on nodes, transfer on edges.
#include <fmt/format.h>

#include <cctype>
#include <unordered_set>

#include "dovetail/error.hpp"
#include "io/formats/dot_parser.hpp"
#include "io/formats/workflow_formats.hpp"
#include "io/text.hpp"

namespace dovetail::io {

namespace {

// Skips white space and the comments that may precede DOT or YAML.
std::string_view skip_comments(std::string_view text) {
  for (;;) {
    text = skip_space(text);
    std::size_t end = 0;
    if (text.starts_with("#") || text.starts_with("//")) {
      end = text.find('\n');
    } else if (text.starts_with("/*")) {
      end = text.find("*/");
    } else {
      return text;
    }
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + (text[end] == '*' ? 2 : 1));
  }
}

bool starts_with_word(std::string_view text, std::string_view word) {
  if (upper_case(text.substr(0, word.size())) != upper_case(word)) return false;
  // "graph: 1" is YAML.
  const std::string_view rest = text.substr(word.size());
  const bool word_ends = rest.empty() || rest[0] == '{' || rest[0] == '"' || rest[0] == '/' ||
                         std::isspace(static_cast<unsigned char>(rest[0])) != 0;
  return word_ends && !skip_space(rest).starts_with(":");
}

// Reads one node as a task.
class TaskReader {
 public:
  TaskReader(const DotNode& node, const std::string& file) : node_(node), file_(file) {}

  TaskSpec read(const WorkflowReadOptions& options) const {
    TaskSpec task{.id = node_.id, .time = read_time(options)};
    if (const auto* run = find("run")) task.run = run->value;
    return task;
  }

 private:
  const DotAttribute* find(std::string_view key) const { return node_.attributes.find(key); }

  [[noreturn]] void fail(std::size_t line, const std::string& message) const {
    throw InputError(file_, line, fmt::format("task {}: {}", quote(node_.id), message));
  }

  TimeSpec read_time(const WorkflowReadOptions& options) const {
    const auto* time = find("time");
    const auto* times = find("times");
    const auto* time_on = find("time_on");
    const auto* alpha = find("alpha");
    if ((time != nullptr) + (times != nullptr) + (time_on != nullptr) > 1) {
      fail(node_.line, "give only one of time, times and time_on");
    }
    if (alpha != nullptr && (times != nullptr || time_on != nullptr)) {
      fail(alpha->line, "alpha goes with time only; leave it out");
    }
    if (times != nullptr) return measured_times(*times);
    if (time_on != nullptr) return resource_times(*time_on);
    if (time == nullptr && !options.default_seconds) {
      fail(node_.line, "it has no time; add the attribute, or give a default (--default-time)");
    }
    const double seconds =
        time == nullptr ? *options.default_seconds : duration(*time, time->value);
    if (alpha == nullptr) return TimeSpec::fixed(seconds, fixed_processors());
    const auto share = parse_number(alpha->value);
    if (!share || *share < 0 || *share > 1) {
      fail(alpha->line, "alpha: expected a number from 0 to 1, found " + quote(alpha->value));
    }
    return TimeSpec::amdahl(seconds, *share, processor_range());
  }

  double duration(const DotAttribute& attribute, std::string_view text) const {
    const auto seconds = parse_duration(text);
    if (!seconds) {
      fail(attribute.line, "expected seconds or a duration such as 90 or 2h, found " + quote(text));
    }
    return *seconds;
  }

  // Reads "4" (both ends of the range), "4..64" or "4..".
  ProcessorRange processor_range() const {
    const auto* field = find("processors");
    if (field == nullptr) return {};
    const std::string_view text = field->value;
    const auto dots = text.find("..");
    const auto min = parse_processors(text.substr(0, dots));
    const bool open_end = dots != std::string_view::npos && dots + 2 == text.size();
    const auto max = open_end                         ? std::optional<Count>(0)
                     : dots == std::string_view::npos ? min
                                                      : parse_processors(text.substr(dots + 2));
    if (!min || !max || (*max != 0 && *max < *min)) {
      fail(field->line,
           "processors: expected a count such as 4 or a range such as 4..64, found " + quote(text));
    }
    return {*min, *max};
  }

  Count fixed_processors() const {
    const ProcessorRange range = processor_range();
    if (range.min != range.max && find("processors") != nullptr) {
      fail(find("processors")->line, "processors: a range needs alpha or times; give one number");
    }
    return range.min;
  }

  // Calls use(name, seconds) for each item of "name=seconds, ...". A backslash escapes the next
  // character.
  template <typename Use>
  void for_each_time(const DotAttribute& attribute, Use use) const {
    std::string item;
    std::size_t equals = std::string::npos;
    const auto finish = [&] {
      if (equals == std::string::npos || equals == 0) {
        fail(attribute.line,
             "expected a list such as 4=4205, 11=1400, found " + quote(attribute.value));
      }
      use(item.substr(0, equals), duration(attribute, std::string_view(item).substr(equals + 1)));
      item.clear();
      equals = std::string::npos;
    };
    const std::string_view text = attribute.value;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) {
        item += text[++i];
      } else if (text[i] == ',') {
        finish();
      } else if (text[i] != ' ' || !item.empty()) {
        if (text[i] == '=') equals = item.size();
        item += text[i];
      }
    }
    finish();
  }

  TimeSpec measured_times(const DotAttribute& attribute) const {
    TimeSpec spec = TimeSpec::table({}, processor_range());
    for_each_time(attribute, [&](const std::string& name, double seconds) {
      const auto processors = parse_processors(name);
      if (!processors) fail(attribute.line, "times: expected processors, found " + quote(name));
      spec.measured.emplace_back(*processors, seconds);
    });
    return spec;
  }

  TimeSpec resource_times(const DotAttribute& attribute) const {
    TimeSpec spec = TimeSpec::per_resource({}, fixed_processors());
    std::unordered_set<std::string> names;
    for_each_time(attribute, [&](std::string name, double seconds) {
      if (!names.insert(name).second) {
        fail(attribute.line, "time_on: " + quote(name) + " is given twice");
      }
      spec.on_resource.emplace_back(std::move(name), seconds);
    });
    return spec;
  }

  const DotNode& node_;
  const std::string& file_;
};

std::string dot_string(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out += '"';
}

// The name of a resource, escaped for a "name=seconds, ..." list.
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

bool is_dot(WorkflowText& text) {
  const std::string_view start = skip_comments(text.start());
  return starts_with_word(start, "digraph") || starts_with_word(start, "graph") ||
         starts_with_word(start, "strict");
}

Workflow read_dot(WorkflowText& source, const WorkflowReadOptions& options,
                  Warnings* /*warnings*/) {
  const std::string& file = source.file();
  require_utf8(source.text(), file);
  const DotGraph graph = parse_dot(skip_bom(source.text()), file);
  if (graph.nodes.empty()) throw InputError(file + ": the graph has no nodes");
  WorkflowBuilder builder(graph.name.empty() ? name_from_file(file) : graph.name);
  for (const DotNode& node : graph.nodes) {
    if (node.id.empty()) throw InputError(file, node.line, "a node has an empty name");
    const TaskSpec task = TaskReader(node, file).read(options);
    at_place(file, node.line, [&] { return builder.add_task(task); });
  }
  for (const DotEdge& edge : graph.edges) {
    at_place(file, edge.line, [&] {
      builder.add_edge(static_cast<TaskId>(edge.from), static_cast<TaskId>(edge.to), edge.transfer);
    });
  }
  return at_place(file, 1, [&] { return std::move(builder).build(); });
}

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
