// dovetail frontier: turn-around against CPU-hours, the plans among which a person chooses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "cli/command.hpp"
#include "cli/plan/describe.hpp"
#include "cli/plan/plan_output.hpp"
#include "cli/progress.hpp"
#include "dovetail/answer.hpp"
#include "dovetail/draw.hpp"
#include "dovetail/error.hpp"
#include "dovetail/frontier.hpp"
#include "dovetail/io.hpp"
#include "dovetail/metrics.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

namespace {

struct FrontierArguments {
  ProblemArguments problem;
  PlannerArguments planner;
  std::optional<std::string> budget;
  std::size_t deadlines = FrontierOptions{}.deadlines;
  bool all = false;
  std::string picture;
  PlanOutput output;

  bool talks() const { return output.talks() && picture != "-"; }
};

// A budget with as few decimals as give this plan and not the one after it.
std::string budget_text(const std::vector<Plan>& plans, std::size_t number) {
  for (int decimals = 1; decimals < 6; ++decimals) {
    const double scale = std::pow(10.0, decimals);
    const double hours = std::ceil(cpu_hours(plans[number]) * scale) / scale;
    if (fastest_within(plans, hours) == &plans[number]) {
      return fmt::format("{:.{}f}", hours, decimals);
    }
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
  Table table({"  algorithm", "turn-around", "CPU-hours", "processors", ""});
  const auto rows = shown_rows(plans.size(), all);
  for (const std::size_t i : rows) {
    const Plan& plan = plans[i];
    const std::string mark = i == 0 ? "<- earliest" : i + 1 == plans.size() ? "<- cheapest" : "";
    table.add({"  " + plan.algorithm, format_duration(makespan(plan)),
               io::hours_text(cpu_hours(plan)), std::to_string(peak_procs(plan)), mark});
  }
  say("{}", table.text());
  if (rows.size() < plans.size()) {
    say("  ({} more in between: --all)\n", plans.size() - rows.size());
  }
}

// The option that takes a plan in the middle of the table, as an example.
std::string example_of_taking(const FrontierArguments& arguments, const std::vector<Plan>& plans) {
  const auto rows = shown_rows(plans.size(), arguments.all);
  const std::size_t middle = *std::next(rows.begin(), static_cast<std::ptrdiff_t>(rows.size() / 2));
  return "--budget " + budget_text(plans, middle);
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

constexpr const char* kNoPlan =
    "  no plan found: no room was found for the tasks before the cluster leaves\n";

void write_frontier(const FrontierArguments& arguments, Time now, const std::vector<Plan>& plans,
                    const std::vector<PlanRecord>& records) {
  const std::string& file = arguments.output.output;
  const bool by_default =
      !arguments.output.json && file.empty() && arguments.picture.empty() && !plans.empty();
  const std::string picture = by_default ? "frontier.html" : arguments.picture;
  const std::string document = file.empty() ? "" : format_frontier(now, records);
  const std::string chart = picture.empty() ? "" : picture_of(picture, records, std::nullopt);
  std::vector<OutputFile> files;
  if (!file.empty()) files.push_back({file, document});
  if (!picture.empty()) files.push_back({picture, chart});
  if (files.empty()) return;
  write_files(files);
  if (!arguments.talks()) return;
  const bool both = files.size() == 2;
  say("\n  {}{}{} {} written", file, both ? " and " : "", picture, both ? "are" : "is");
  if (!plans.empty()) {
    say("          take one: the same with {}", example_of_taking(arguments, plans));
  }
  say("\n");
}

Exit show_frontier(const FrontierArguments& arguments, const Problem& problem,
                   const std::vector<Plan>& plans) {
  const auto records = records_of(problem, plans);
  if (arguments.talks()) {
    say("{}\n\n", describe_problem(problem));
    if (plans.empty()) say(kNoPlan);
    if (!plans.empty()) print_table(plans, arguments.all);
  }
  if (arguments.output.json && arguments.output.output != "-") {
    say_exact(format_frontier(problem.now(), records));
  }
  std::fflush(stdout);
  write_frontier(arguments, problem.now(), plans, records);
  return plans.empty() ? Exit::no : Exit::fine;
}

void print_too_dear(const std::vector<Plan>& plans, double budget) {
  if (plans.empty()) {
    say(kNoPlan);
    return;
  }
  const std::string least = budget_text(plans, plans.size() - 1);
  say("  no plan found within a budget of {} CPU-hours; the cheapest known needs --budget {}\n",
      budget, least);
}

// With what plan finds within that budget, one point that the frontier has not looked at.
std::vector<Plan> with_search_within(const PlanningContext& context, std::vector<Plan> plans,
                                     double hours) {
  const Problem& problem = context.problem();
  // A time limit is over by now.
  if (plans.empty() || !can_search(problem) || context.options().search.seconds) return plans;
  PlannerOptions options = context.options();
  options.search.budget = budget_area(hours);
  PlanningContext limited(problem, options);
  return find_answer(limited, {.begin_with = plans}).ways;
}

Exit take_within_budget(const FrontierArguments& arguments, const Problem& problem,
                        const std::vector<Plan>& plans, double budget) {
  const Plan* found = fastest_within(plans, budget);
  // For programs too the answer is a plan: one that was not found.
  const Plan none{.algorithm = plans.empty() ? "" : plans.back().algorithm,
                  .now = problem.now(),
                  .feasible = false};
  Plan plan = found != nullptr ? *found : none;
  plan.deadline.reset();  // the one it was made for was not asked for
  if (arguments.talks()) {
    say("{}\n\n", describe_problem(problem));
    if (found == nullptr) print_too_dear(plans, budget);
    if (found != nullptr) {
      say("{}\n{}", describe_plan(problem, plan), describe_ways(plans, plan, false));
    }
  }
  std::string chart;
  std::vector<OutputFile> others;
  if (!arguments.picture.empty()) {
    chart = picture_of(arguments.picture, records_of(problem, plans), budget);
    others.push_back({arguments.picture, chart});
  }
  arguments.output.write(make_record(problem, plan), others);
  return plan.feasible ? Exit::fine : Exit::no;
}

Exit run(const FrontierArguments& arguments) {
  arguments.output.require_good_names(arguments.problem.files());
  require_picture_name("--picture", arguments.picture);
  protect_inputs(arguments.problem.files(),
                 {arguments.output.output, arguments.output.gantt, arguments.picture});
  std::optional<double> budget;
  if (arguments.budget) budget = parse_budget(*arguments.budget);
  if (!arguments.output.talks() && arguments.picture == "-") {
    throw InputError("standard output: two results cannot go there; give one of them a file");
  }
  if (!budget && !arguments.output.gantt.empty()) {
    throw InputError("--gantt: draws one plan; say which with --budget H, or use --picture");
  }
  const Problem problem = arguments.problem.load();
  require_planner(problem);
  PlanningContext context(problem, arguments.planner.options());
  auto plans = frontier(context, {.deadlines = arguments.deadlines, .progress = ProgressBar()});
  if (budget) plans = with_search_within(context, std::move(plans), *budget);
  return budget ? take_within_budget(arguments, problem, plans, *budget)
                : show_frontier(arguments, problem, plans);
}

}  // namespace

void add_frontier(CLI::App& program, Exit& status) {
  const auto [command, a] = add_verb<FrontierArguments>(
      program, status, "frontier", "show what a shorter turn-around costs in CPU-hours", run);
  a.problem.add_workflows(command, "WORKFLOW");
  a.problem.add_cluster(command);
  command.add_option("--budget", a.budget,
                     "take the fastest plan found within this many CPU-hours");
  command
      .add_option("--deadlines", a.deadlines, "try this many deadlines, 2 to 100000; default 128")
      ->check(whole_number_from(2, 100'000), "");
  command.add_flag("--all", a.all, "show every point in the table, not only a dozen");
  command.add_option("--picture", a.picture, "draw the chart to this file: FILE.html or FILE.svg");
  a.planner.add(command);
  a.output.add(command);
  command.footer(
      "Without --json, -o and --picture it writes frontier.html; --json and -o give all points "
      "with\n"
      "their plans. With --budget the answer is one plan, and --json, -o and --gantt mean the same "
      "as\n"
      "for dovetail plan.\n"
      "Example: dovetail frontier flow.yaml -c cluster.yaml\n"
      "         dovetail frontier flow.yaml -c cluster.yaml --budget 60 -o plan.json");
}

}  // namespace dovetail::cli
