// dovetail show: a plan as a picture, in the terminal or as a file.
#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"

namespace dovetail::cli {

namespace {

struct Arguments {
  std::string plan;
  std::string format;
  std::string output;
};

// The format by name, else by the output's ending, else text.
std::string chosen_format(const Arguments& arguments) {
  if (!arguments.format.empty()) return arguments.format;
  if (arguments.output.empty() || arguments.output == "-") return "text";
  for (const auto& [ending, format] : {std::pair{".html", "html"}, std::pair{".svg", "svg"},
                                       std::pair{".json", "trace"}, std::pair{".txt", "text"}}) {
    if (arguments.output.ends_with(ending)) return format;
  }
  throw InputError("-o: cannot tell the format from \"" + arguments.output +
                   "\"; end it in .html, .svg, .json or .txt, or give --format");
}

Exit run(const Arguments& arguments) {
  const std::string format = chosen_format(arguments);
  protect_inputs({arguments.plan}, {arguments.output});
  const PlanRecord record = read_plan(arguments.plan);
  const bool to_terminal = arguments.output.empty() || arguments.output == "-";
  std::string picture;
  if (format == "html") {
    picture = gantt_html(record);
  } else if (format == "svg") {
    picture = gantt_svg(record);
  } else if (format == "trace") {
    picture = chrome_trace(record);
  } else {
    picture = gantt_text(record, terminal_columns(), to_terminal && colourful());
  }
  write_file(to_terminal ? "-" : arguments.output, picture);
  if (!to_terminal) fmt::print("{} is written\n", arguments.output);
  return Exit::fine;
}

}  // namespace

void add_show(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand("show", "a plan as a Gantt chart");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("PLAN", arguments->plan, "plan file, as dovetail plan writes it")->required();
  command
      ->add_option("--format", arguments->format,
                   "text (default), html, svg, or trace (Chrome's and Perfetto's JSON)")
      ->check(CLI::IsMember({"text", "html", "svg", "trace"}).description(""));
  command->add_option("-o,--output", arguments->output, "write to this file; its ending decides");
  command->footer("Example: dovetail show plan.json -o plan.svg");
  command->callback([arguments, &status] { status = run(*arguments); });
}

}  // namespace dovetail::cli
