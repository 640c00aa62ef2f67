// dovetail convert: a workflow from one format to another.
#include <fmt/format.h>

#include <iostream>
#include <map>
#include <memory>

#include "cli/command.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"

namespace dovetail::cli {

namespace {

struct ConvertArguments {
  std::string input;
  std::string output;
  std::string to;
  std::optional<double> default_seconds;
};

WorkflowFormat chosen_format(const ConvertArguments& arguments) {
  static const std::map<std::string, WorkflowFormat> names = {
      {"yaml", WorkflowFormat::yaml},
      {"json", WorkflowFormat::json},
      {"wfcommons", WorkflowFormat::wfcommons},
      {"dot", WorkflowFormat::dot}};
  if (!arguments.to.empty()) return names.at(arguments.to);
  for (const auto& [ending, format] :
       {std::pair{".yaml", WorkflowFormat::yaml}, std::pair{".yml", WorkflowFormat::yaml},
        std::pair{".wfcommons.json", WorkflowFormat::wfcommons},
        std::pair{".json", WorkflowFormat::json}, std::pair{".dot", WorkflowFormat::dot},
        std::pair{".gv", WorkflowFormat::dot}}) {
    if (arguments.output.ends_with(ending)) return format;
  }
  throw InputError("cannot tell the format from \"" + arguments.output +
                   "\"; end it in .yaml, .json, .wfcommons.json or .dot, or give --to");
}

// WfFormat knows one run time per task and no transfer times.
void warn_of_losses(const Workflow& workflow) {
  std::size_t simplified = 0;
  for (TaskId task = 0; task < workflow.size(); ++task) {
    const TaskTime time = workflow.time(task);
    if (time.kind() != TimeKind::fixed || time.min_procs() > 1) ++simplified;
  }
  if (simplified > 0) {
    std::cerr << "warning: WfFormat has one time per task: " << counted(simplified, "task")
              << " keep the time on their fewest processors only\n";
  }
  if (workflow.has_transfers()) std::cerr << "warning: WfFormat has no transfer times\n";
}

// Formats of others have no place for it.
void warn_of_lost_execution(const Workflow& workflow) {
  std::size_t lost = 0;
  for (TaskId task = 0; task < workflow.size(); ++task) {
    if (workflow.execution(task) != TaskExecution{}) ++lost;
  }
  if (workflow.terms() != WorkflowTerms{}) {
    std::cerr << "warning: weight and ready_at are lost\n";
  }
  if (lost == 0) return;
  std::cerr << "warning: " << counted(lost, "task")
            << " lose directory, environment, inputs, outputs, timeout, retries and kind\n";
}

Exit run(const ConvertArguments& arguments) {
  const WorkflowFormat format = chosen_format(arguments);
  protect_inputs({arguments.input}, {arguments.output});
  std::vector<std::string> warnings;
  const Workflow workflow =
      read_workflow(arguments.input, {.default_seconds = arguments.default_seconds}, &warnings);
  for (const std::string& warning : warnings) std::cerr << "warning: " << warning << '\n';
  if (format == WorkflowFormat::wfcommons) warn_of_losses(workflow);
  const bool is_ours = format == WorkflowFormat::yaml || format == WorkflowFormat::json;
  if (!is_ours) warn_of_lost_execution(workflow);
  write_file(arguments.output, format_workflow(workflow, format));
  if (arguments.output != "-") {
    fmt::print("{}: {}, {}\n", arguments.output, counted(workflow.size(), "task"),
               counted(workflow.edge_count(), "edge"));
  }
  return Exit::fine;
}

}  // namespace

void add_convert(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand("convert", "a workflow from one format to another");
  auto arguments = std::make_shared<ConvertArguments>();
  command->add_option("IN", arguments->input, "YAML, JSON, WfCommons, DAX or DOT")->required();
  command
      ->add_option("OUT", arguments->output, "its ending decides the format; - is standard output")
      ->required();
  command->add_option("--to", arguments->to, "yaml, json, wfcommons (1.5) or dot")
      ->check(CLI::IsMember({"yaml", "json", "wfcommons", "dot"}).description(""));
  command
      ->add_option("--default-time", arguments->default_seconds,
                   "seconds for imported tasks that have no run time")
      ->check(CLI::Range(0.0, kMaxSeconds).description(""));
  command->footer("Example: dovetail convert montage.dax montage.yaml");
  command->callback([arguments, &status] { status = run(*arguments); });
}

}  // namespace dovetail::cli
