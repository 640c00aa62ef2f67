// dovetail convert: a workflow from one format to another.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "dovetail/error.hpp"
#include "io/formats/table.hpp"

namespace dovetail::cli {

namespace {

struct ConvertArguments {
  std::string input;
  std::string output;
  std::string to;
  std::optional<double> default_seconds;
};

const io::FormatInfo& chosen_format(const ConvertArguments& arguments) {
  if (!arguments.to.empty()) return *io::find_format(arguments.to);
  if (const auto* format = io::format_of_ending(arguments.output)) return *format;
  throw InputError("cannot tell the format from \"" + arguments.output + "\"; end it in " +
                   io::endings_to_write() + ", or give --to");
}

void warn_of_lost_times(const Workflow& workflow, const io::FormatInfo& format) {
  std::size_t simplified = 0;
  for (TaskId task = 0; task < workflow.size(); ++task) {
    const TaskTime time = workflow.time(task);
    if (time.kind() != TimeKind::fixed) ++simplified;
  }
  if (simplified > 0) {
    print_warning(
        fmt::format("{} has one time per task: {} keep the time on their fewest processors only",
                    format.standard, counted(simplified, "task")));
  }
  if (workflow.has_transfers()) {
    print_warning(fmt::format("{} has no transfer times", format.standard));
  }
}

// WfCommons has the memory that a task used, and none of the rest.
void warn_of_lost_needs(const Workflow& workflow, const io::FormatInfo& format) {
  const bool keeps_memory = format.format == WorkflowFormat::wfcommons;
  std::size_t lost = 0;
  for (TaskId task = 0; task < workflow.size(); ++task) {
    TaskNeeds needs = workflow.needs(task);
    if (keeps_memory) needs.memory = 0;
    if (needs != TaskNeeds{}) ++lost;
  }
  if (lost == 0) return;
  print_warning(fmt::format("{} lose {}memory_per_processor, gpus, nodes and requires",
                            counted(lost, "task"), keeps_memory ? "" : "memory, "));
}

// Formats of others have no place for it.
void warn_of_lost_execution(const Workflow& workflow) {
  std::size_t lost = 0;
  for (TaskId task = 0; task < workflow.size(); ++task) {
    if (workflow.execution(task) != TaskExecution{}) ++lost;
  }
  if (workflow.terms() != WorkflowTerms{}) print_warning("weight and ready_at are lost");
  if (lost == 0) return;
  print_warning(counted(lost, "task") +
                " lose directory, environment, inputs, outputs, timeout, retries and kind");
}

Exit run(const ConvertArguments& arguments) {
  const io::FormatInfo& format = chosen_format(arguments);
  protect_inputs({arguments.input}, {arguments.output});
  std::vector<std::string> warnings;
  const Workflow workflow =
      read_workflow(arguments.input, {.default_seconds = arguments.default_seconds}, &warnings);
  for (const std::string& warning : warnings) print_warning(warning);
  if (format.keeps == io::Keeps::one_time) warn_of_lost_times(workflow, format);
  if (format.keeps != io::Keeps::all) {
    warn_of_lost_execution(workflow);
    warn_of_lost_needs(workflow, format);
  }
  write_file(arguments.output, format.write(workflow));
  if (arguments.output != "-") {
    say("{}: {}, {}\n", arguments.output, counted(workflow.size(), "task"),
        counted(workflow.edge_count(), "edge"));
  }
  return Exit::fine;
}

}  // namespace

void add_convert(CLI::App& program, Exit& status) {
  const auto [command, a] = add_verb<ConvertArguments>(
      program, status, "convert", "convert a workflow from one format to another", run);
  std::vector<std::string> names;
  for (const io::FormatInfo& format : io::workflow_formats()) {
    if (format.write != nullptr) names.emplace_back(format.name);
  }
  command.add_option("IN", a.input, io::titles_to_read())->required();
  command
      .add_option("OUT", a.output,
                  "write this file; its ending decides the format; - is standard output")
      ->required();
  command.add_option("--to", a.to, io::names_and_versions_to_write())
      ->check(CLI::IsMember(names).description(""));
  command
      .add_option("--default-time", a.default_seconds,
                  "assume this many seconds for imported tasks without a run time")
      ->check(CLI::Range(0.0, kMaxSeconds).description(""));
  command.footer("Example: dovetail convert montage.dax montage.yaml");
}

}  // namespace dovetail::cli
