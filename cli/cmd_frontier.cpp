// dovetail frontier: turn-around against CPU-hours, the plans among which a person chooses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "command.hpp"
#include "describe.hpp"
#include "dovetail/error.hpp"
#include "dovetail/frontier.hpp"
#include "dovetail/io.hpp"
#include "dovetail/metrics.hpp"
#include "plan_output.hpp"

namespace dovetail::cli {

namespace {

struct Arguments {
  ProblemArguments problem;
  PlannerArguments planner;
  std::optional<double> budget;
  std::size_t deadlines = FrontierOptions{}.deadlines;
  bool all = false;
  std::string picture;
  PlanOutput output;
};

// A budget with as few decimals as give this plan and not the one after it.
std::string budget_text(const std::vector<Plan>& plans, std::size_t number) {
  for (int decimals = 1; decimals < 6; ++decimals) {
    const double scale = std::pow(10.0, decimals);
    const double hours = std::ceil(cpu_hours(plans[number]) * scale) / scale;
    if (fastest_within(plans, hours) == &plans[number])
      return fmt::format("{:.{}f}", hours, decimals);
  }
  return fmt::format("{}", cpu_hours(plans[number]));
}

// Rows of the table: all, or a dozen spread evenly, with the first and the last.
std::set<std::size_t> shown_rows(std::size_t count, bool all) {
  constexpr std::size_t kShown = 12;
  std::set<std::size_t> rows;
  const std::size_t shown = all ? count : std::min(count, kShown);
  for (std::size_t i = 0; i < shown; ++i) {
    rows.insert(shown == 1 ? 0 : i * (count - 1) / (shown - 1));
  }
  return rows;
}

void print_table(const std::vector<Plan>& plans, bool all) {
  Table table({"  algorithm", "turn-around", "CPU-hours", "processors", "begins in", ""});
  const auto rows = shown_rows(plans.size(), all);
  for (const std::size_t i : rows) {
    const Plan& plan = plans[i];
    Time first = plan.placements.front().start;
    for (const Placement& placement : plan.placements) first = std::min(first, placement.start);
    const std::string mark = i == 0 ? "<- earliest" : i + 1 == plans.size() ? "<- cheapest" : "";
    table.add({"  " + plan.algorithm, format_duration(makespan(plan)),
               fmt::format("{:.1f}", cpu_hours(plan)), std::to_string(peak_procs(plan)),
               format_duration(first - plan.now), mark});
  }
  fmt::print("{}", table.text());
  if (rows.size() < plans.size()) {
    fmt::print("  ({} more in between: --all)\n", plans.size() - rows.size());
  }
}

// The command that gives the plan in the middle of the frontier, as an example of how to take one.
std::string example_of_taking(const Arguments& arguments, const std::vector<Plan>& plans) {
  return fmt::format("dovetail frontier {} -c {} --budget {}",
                     fmt::join(arguments.problem.workflows, " "), arguments.problem.cluster,
                     budget_text(plans, plans.size() / 2));
}

std::vector<PlanRecord> records_of(const Problem& problem, const std::vector<Plan>& plans) {
  std::vector<PlanRecord> records;
  for (const Plan& plan : plans) records.push_back(make_record(problem, plan));
  return records;
}

std::string picture_of(const std::string& file, const std::vector<PlanRecord>& records,
                       std::optional<double> budget) {
  return file.ends_with(".svg") ? frontier_svg(records, budget) : frontier_html(records, budget);
}

constexpr const char* kNoPlan = "  no plan found: the tasks do not fit before the cluster leaves\n";

void write_frontier(const Arguments& arguments, const std::vector<Plan>& plans,
                    const std::vector<PlanRecord>& records, bool talks) {
  const std::string& file = arguments.output.output;
  const bool by_default = !arguments.output.json && file.empty() && arguments.picture.empty();
  const std::string picture = by_default ? "frontier.html" : arguments.picture;
  const std::string document = file.empty() ? "" : format_frontier(records);
  const std::string chart = picture.empty() ? "" : picture_of(picture, records, std::nullopt);
  std::vector<OutputFile> files;
  if (!file.empty()) files.push_back({file, document});
  if (!picture.empty()) files.push_back({picture, chart});
  write_files(files);
  if (!talks) return;
  const bool both = files.size() == 2;
  fmt::print("\n  {}{}{} {} written          take one: {}\n", file, both ? " and " : "", picture,
             both ? "are" : "is", example_of_taking(arguments, plans));
}

Exit show_frontier(const Arguments& arguments, const Problem& problem,
                   const std::vector<Plan>& plans) {
  const auto records = records_of(problem, plans);
  const bool json = arguments.output.json;
  const bool talks = arguments.output.talks() && arguments.picture != "-";
  if (talks) {
    fmt::print("{}\n\n", describe_problem(problem));
    if (plans.empty()) fmt::print(kNoPlan);
    if (!plans.empty()) print_table(plans, arguments.all);
  }
  if (json && arguments.output.output != "-") fmt::print("{}", format_frontier(records));
  std::fflush(stdout);
  if (plans.empty()) return Exit::no;
  write_frontier(arguments, plans, records, talks);
  return Exit::fine;
}

void print_too_dear(const std::vector<Plan>& plans, double budget) {
  if (plans.empty()) {
    fmt::print(kNoPlan);
    return;
  }
  fmt::print("  no plan found within {} CPU-hours; the cheapest known takes {:.1f}: --budget {}\n",
             budget, cpu_hours(plans.back()), budget_text(plans, plans.size() - 1));
}

Exit take_within_budget(const Arguments& arguments, const Problem& problem,
                        const std::vector<Plan>& plans) {
  const Plan* found = fastest_within(plans, *arguments.budget);
  // For programs too the answer is a plan: one that was not found.
  const Plan none{.algorithm = plans.empty() ? "" : plans.back().algorithm,
                  .now = problem.now(),
                  .feasible = false};
  const Plan& plan = found != nullptr ? *found : none;
  const bool talks = arguments.output.talks() && arguments.picture != "-";
  if (talks) {
    fmt::print("{}\n\n", describe_problem(problem));
    if (found == nullptr) print_too_dear(plans, *arguments.budget);
    if (found != nullptr) {
      fmt::print("{}\n{}", describe_plan(problem, plan), describe_ways(plans, plan));
    }
  }
  arguments.output.write(make_record(problem, plan));
  if (!arguments.picture.empty() && !plans.empty()) {
    write_file(arguments.picture,
               picture_of(arguments.picture, records_of(problem, plans), arguments.budget));
    if (talks) fmt::print("  {} is written\n", arguments.picture);
  }
  return plan.feasible ? Exit::fine : Exit::no;
}

Exit run(const Arguments& arguments) {
  arguments.output.require_good_names(arguments.problem.files());
  require_picture_name("--picture", arguments.picture);
  protect_inputs(arguments.problem.files(),
                 {arguments.output.output, arguments.output.gantt, arguments.picture});
  if (arguments.budget && !(std::isfinite(*arguments.budget) && *arguments.budget > 0)) {
    throw InputError("--budget: expected a number of CPU-hours above 0");
  }
  if (!arguments.budget && !arguments.output.gantt.empty()) {
    throw InputError("--gantt: draws one plan; say which with --budget H, or use --picture");
  }
  const Problem problem = arguments.problem.load();
  require_planner(problem);
  PlanningContext context(problem, arguments.planner.options());
  const auto plans = frontier(context, {.deadlines = arguments.deadlines});
  return arguments.budget ? take_within_budget(arguments, problem, plans)
                          : show_frontier(arguments, problem, plans);
}

}  // namespace

void add_frontier(CLI::App& program, Exit& status) {
  CLI::App* command =
      program.add_subcommand("frontier", "turn-around against CPU-hours: what to choose from");
  auto arguments = std::make_shared<Arguments>();
  arguments->problem.add_workflows(*command, "WORKFLOW");
  arguments->problem.add_cluster(*command);
  command->add_option("--budget", arguments->budget,
                      "answer with the fastest plan within so many CPU-hours");
  command->add_option("--deadlines", arguments->deadlines, "how many deadlines to try")
      ->check(CLI::Range(2, 100'000).description(""));
  command->add_flag("--all", arguments->all, "every point in the table, not only a dozen");
  command->add_option("--picture", arguments->picture, "write the chart: FILE.html or FILE.svg");
  arguments->planner.add(*command);
  arguments->output.add(*command);
  command->footer(
      "Without --json, -o and --picture it writes frontier.html. With --budget the answer is a\n"
      "plan, and --json, -o and --gantt mean the same as for dovetail plan.\n"
      "Example: dovetail frontier flow.yaml -c cluster.yaml\n"
      "         dovetail frontier flow.yaml -c cluster.yaml --budget 60 -o plan.json");
  command->callback([arguments, &status] { status = run(*arguments); });
}

}  // namespace dovetail::cli
