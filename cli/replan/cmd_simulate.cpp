// dovetail simulate: what becomes of a plan while things happen, in simulated time.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/plan/describe.hpp"
#include "cli/plan/plan_output.hpp"
#include "dovetail/draw.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "dovetail/metrics.hpp"
#include "io/text.hpp"
#include "planners/replan/simulate.hpp"

namespace dovetail::cli {

namespace {

struct SimulateArguments {
  ProblemArguments problem;
  GoalArguments goal;
  PlannerArguments planner;
  std::string algorithm;
  std::string events;
  double band = 20;
  double stability = planning::kStability;
  PlanOutput output{.name = "simulation"};
};

// "deadline met, 20m to spare".
std::string spare_text(Duration spare) {
  if (spare < 0) return "deadline missed by " + format_duration(-spare);
  return "deadline met" + (spare > 0 ? ", " + format_duration(spare) + " to spare" : "");
}

std::vector<std::string> plan_row(const std::string& name, const Plan& plan, double hours) {
  if (!plan.feasible) return {"  " + name, "no plan"};
  std::vector<std::string> row{"  " + name, format_duration(makespan(plan)), io::hours_text(hours),
                               plan.algorithm};
  if (plan.deadline) row.push_back(spare_text(*plan.deadline - plan.now - makespan(plan)));
  return row;
}

void print_plans(const planning::Simulation& result) {
  Table table({"", "turn-around", "CPU-hours", "by"});
  table.add(plan_row("planned", result.before, cpu_hours(result.before)));
  table.add(plan_row("executed", result.after, cpu_hours(result)));
  say("{}\n", table.text(1));
}

std::string decision(const Evaluation& row) {
  if (row.adopted && !row.current) return "the new plan; the old one cannot go on";
  if (row.adopted) {
    const std::string plan =
        *row.candidate < *row.current ? "the new plan" : "the new plan: cheaper";
    return row.moved ? fmt::format("{}, {} moved", plan, counted(*row.moved, "task")) : plan;
  }
  if (!row.current) return "no plan is left";
  if (row.candidate && *row.candidate < *row.current && row.moved) {
    return fmt::format("the old plan; {} would have moved", counted(*row.moved, "task"));
  }
  return row.candidate ? "the old plan" : "the old plan; no other was made";
}

void print_history(const Plan& plan) {
  const auto after_now = [&](std::optional<Time> time) {
    return time ? format_duration(*time - plan.now) : std::string("-");
  };
  Table table({"  after", "what happens", "old plan", "new plan", "goes on with"});
  for (const Evaluation& row : plan.history) {
    if (row.time == plan.now && row.event == "start") continue;
    std::string current = after_now(row.current);
    std::string candidate = after_now(row.candidate);
    if (current == candidate && row.current != row.candidate) {
      current = exact_duration(*row.current - plan.now);
      candidate = exact_duration(*row.candidate - plan.now);
    }
    table.add({"  " + after_now(row.time), row.event, current, candidate, decision(row)});
  }
  say("{}", table.text(5));
}

void print_lost(const Problem& problem, const planning::Simulation& result) {
  if (result.lost.empty()) return;
  say("  lost: ");
  std::string_view separator;
  for (const Placement& run : result.lost) {
    say("{}{} after {}", separator, problem.workflows()[run.workflow].id(run.task),
        format_duration(run.end - run.start));
    separator = ", ";
  }
  say(" ({} CPU-hours{})\n", io::hours_text(cpu_hours(result) - cpu_hours(result.after)),
      result.after.feasible ? ", counted above" : "");
}

// Events that come when all is done, or too late to be heard of.
void print_ignored(const Plan& plan, const std::vector<Event>& events) {
  const auto ignored = std::ranges::count_if(events, [&](const Event& event) {
    return plan.feasible && event.time >= plan.now + makespan(plan);
  });
  if (ignored == 0) return;
  say("  {} after the end: ignored\n", counted(static_cast<std::size_t>(ignored), "event"));
}

std::string to_json(const PlanRecord& before, const PlanRecord& after) {
  return fmt::format("{{\"before\":{},\"after\":{}}}\n", format_plan(before), format_plan(after));
}

void write(const SimulateArguments& arguments, const Problem& problem,
           const planning::Simulation& result) {
  const auto workflows = problem.workflows();
  const Problem seen({workflows.begin(), workflows.end()}, result.platform, problem.goal(),
                     problem.deadline());
  const PlanRecord before = make_record(problem, result.before);
  const PlanRecord after = make_record(seen, result.after, result.lost);
  arguments.output.write(after, {},
                         {.json = [&] { return to_json(before, after); },
                          .html = [&] { return before_after_html(before, after); },
                          .svg = [&] { return before_after_svg(before, after); }});
}

planning::SimulateOptions options_of(const SimulateArguments& arguments, const Problem& problem) {
  planning::SimulateOptions options{.planning = arguments.planner.options(),
                                    .band = arguments.band / 100,
                                    .stability = arguments.stability};
  if (!arguments.algorithm.empty()) {
    options.planner = &choose_planner(arguments.algorithm, problem);
    require_deadline_for(*options.planner, problem);
  }
  const std::string unfit = planning::simulate_unfit(problem, options);
  if (!unfit.empty()) throw InputError("cannot simulate this: " + unfit);
  return options;
}

Exit run(const SimulateArguments& arguments) {
  std::vector<std::string> inputs = arguments.problem.files();
  inputs.push_back(arguments.events);
  arguments.output.require_good_names(inputs);
  const Problem problem = planning::by_processors(arguments.problem.load(arguments.goal));
  arguments.planner.search.forbid_in_events(problem, arguments.algorithm);
  const std::vector<Event> events = read_events(arguments.events, problem);
  const planning::Simulation result =
      planning::simulate(problem, events, options_of(arguments, problem));
  if (arguments.output.talks()) {
    say("{}\n\n", describe_problem(problem));
    print_plans(result);
    if (result.before.feasible || result.after.feasible) {
      print_history(result.after);
    } else {
      say("  {}\n", kNothingToBeginWith);
    }
    print_lost(problem, result);
    print_ignored(result.after, events);
  }
  write(arguments, problem, result);
  const bool is_fine = result.after.feasible && !misses_deadline(result.after);
  return is_fine ? Exit::fine : Exit::no;
}

}  // namespace

void add_simulate(CLI::App& program, Exit& status) {
  const auto [command, a] = add_verb<SimulateArguments>(
      program, status, "simulate", "run a plan through events, and plan again where that is better",
      run);
  a.problem.add_workflows(command, "WORKFLOW");
  a.problem.add_cluster(command);
  command.add_option("--events", a.events, "read the events from this file")->required();
  a.goal.add(command);
  command.add_option(
      "--algorithm", a.algorithm,
      "plan by this algorithm (see: dovetail algorithms); default: the best for the goal");
  command
      .add_option(
          "--band", a.band,
          "plan the rest again only when tasks or resources are slower or faster by more than "
          "this per cent; default 20")
      ->check([](const std::string& text) {
        const auto value = io::parse_number(text);
        const bool is_good = value && *value >= 0 && *value <= 1000;
        return is_good ? ""
                       : "expected per cent from 0 to 1000, such as 20, found " + io::quote(text);
      });
  add_stability(command, a.stability);
  a.planner.add(command);
  a.planner.search.add_budget(command);
  a.output.add(command);
  command.footer(
      "-o writes the executed plan, --gantt draws it below the plan at the start, and --json has\n"
      "both. Without them it writes simulation.json and simulation.html.\n"
      "Example: dovetail simulate flow.yaml -c cluster.yaml --events events.yaml");
}

}  // namespace dovetail::cli
