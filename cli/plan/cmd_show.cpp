// dovetail show: a plan, or a run, as a picture, in the terminal or as a file.
#include <fmt/format.h>

#include <filesystem>

#include "cli/command.hpp"
#include "cli/run/run_summary.hpp"
#include "dovetail/draw.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "run/known_run.hpp"
#include "run/report/run_report.hpp"

namespace dovetail::cli {

namespace {

struct ShowArguments {
  std::string plan;
  std::string format;
  std::string output;

  bool to_terminal() const { return output.empty() || output == "-"; }
};

// The format by name, else by the output's ending, else text.
std::string chosen_format(const ShowArguments& arguments) {
  if (!arguments.format.empty()) return arguments.format;
  if (arguments.to_terminal()) return "text";
  for (const auto& [ending, format] : {std::pair{".html", "html"}, std::pair{".svg", "svg"},
                                       std::pair{".json", "trace"}, std::pair{".txt", "text"}}) {
    if (arguments.output.ends_with(ending)) return format;
  }
  throw InputError("-o: cannot tell the format from \"" + arguments.output +
                   "\"; end it in .html, .svg, .json or .txt, or give --format");
}

std::string text_of(const ShowArguments& arguments, const PlanRecord& record) {
  return gantt_text(record, terminal_columns(), arguments.to_terminal() && colourful());
}

std::string plan_picture(const ShowArguments& arguments, const std::string& format) {
  const PlanRecord record = read_plan(arguments.plan);
  if (format == "html") return gantt_html(record);
  if (format == "svg") return gantt_svg(record);
  if (format == "trace") return chrome_trace(record);
  return text_of(arguments, record);
}

std::string run_text(const ShowArguments& arguments, const run::KnownRun& known,
                     const run::ReportedRun& run) {
  return fmt::format("{}: {}{}\n\n{}\n{}", run.name, known.condition(),
                     run.now ? "; what has not happened yet is drawn as it is expected" : "",
                     text_of(arguments, run::shown_record(run)),
                     summary_text(run::facts_of(run.problem, run.state, run.now)));
}

std::string run_picture(const ShowArguments& arguments, const run::KnownRun& known,
                        const std::string& format) {
  const run::ReportedRun run = reported(known);
  if (format == "html") return run::run_report_html(run);
  if (format == "svg") return run::run_report_svg(run);
  if (format == "trace") return chrome_trace(run::shown_record(run));
  return run_text(arguments, known, run);
}

// Files come first: their names are chosen by people, those of runs are not.
std::optional<run::KnownRun> find_run(const std::string& name) {
  std::error_code unknown;
  if (name == "-" || std::filesystem::exists(name, unknown)) return std::nullopt;
  for (const run::RunFolder& folder : run::RunFolder::all(run::state_folder())) {
    if (folder.id() == name) return run::KnownRun(folder);
  }
  throw InputError(name +
                   ": cannot be read: No such file or directory, and no run has that name either; "
                   "dovetail runs lists them");
}

Exit run(const ShowArguments& arguments) {
  const std::string format = chosen_format(arguments);
  protect_inputs({arguments.plan}, {arguments.output});
  const std::optional<run::KnownRun> known = find_run(arguments.plan);
  const std::string picture =
      known ? run_picture(arguments, *known, format) : plan_picture(arguments, format);
  write_file(arguments.to_terminal() ? "-" : arguments.output, picture);
  if (!arguments.to_terminal()) say("{} is written\n", arguments.output);
  return Exit::fine;
}

}  // namespace

void add_show(CLI::App& program, Exit& status) {
  const auto [command, a] = add_verb<ShowArguments>(program, status, "show",
                                                    "draw a plan or a run as a Gantt chart", run);
  command
      .add_option(
          "PLAN", a.plan,
          "draw this plan file, as dovetail plan writes it, or this run, as dovetail runs lists it")
      ->required();
  command
      .add_option("--format", a.format,
                  "draw as text (default), html, svg, or trace (JSON for Chrome and Perfetto)")
      ->check(CLI::IsMember({"text", "html", "svg", "trace"}).description(""));
  command.add_option("-o,--output", a.output, "write to this file; its ending decides the format");
  command.footer(
      "The page of a run shows its first plan and, below it, what was executed.\nExample: dovetail "
      "show plan.json -o plan.svg\n         dovetail show flow-3 -o flow-3.html");
}

}  // namespace dovetail::cli
