// dovetail plan: a plan for one or several workflows, and in words why it is as it is.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "dovetail/critical.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "dovetail/metrics.hpp"

namespace dovetail::cli {

namespace {

struct Arguments {
  ProblemArguments problem;
  PlannerArguments planner;
  std::string algorithm;
  std::string goal = "turnaround";
  bool json = false;
  std::string output;
  std::string gantt;
};

std::string moment_text(const Platform& platform, Time time) {
  if (platform.wall_clock()) return format_date(time);
  return format_duration(time - platform.now()) + " from now";
}

double sequential_hours(const Problem& problem) {
  double hours = 0;
  for (std::size_t w = 0; w < problem.workflows().size(); ++w) {
    const Workflow& workflow = problem.workflows()[w];
    for (TaskId task = 0; task < workflow.size(); ++task) {
      for (std::size_t c = 0; c < problem.platform().clusters().size(); ++c) {
        const Count procs = workflow.time(task).min_procs();
        if (!problem.allows(w, task, c, procs)) continue;
        hours += procs * to_seconds(problem.time(w, task, c).duration(procs)) / 3600.0;
        break;
      }
    }
  }
  return hours;
}

std::string describe_problem(const Problem& problem) {
  std::string text;
  for (const Workflow& workflow : problem.workflows()) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{}: {}, {}", workflow.name(), counted(workflow.size(), "task"),
                        counted(workflow.edge_count(), "edge"));
  }
  const double hours = sequential_hours(problem);
  text += hours < 1 ? ", " + format_duration(time_ceil(hours * 3600)) + " sequential"
                    : fmt::format(", {:.1f} h sequential", hours);
  for (const Cluster& cluster : problem.platform().clusters()) {
    const Time now = problem.now();
    const auto coming = std::count_if(
        cluster.reservations.begin(), cluster.reservations.end(),
        [&](const Reservation& r) { return r.end > now && r.start < now + 7 * 86'400'000; });
    text += fmt::format("        {}: {}, {} in the next 7 days", cluster.name,
                        counted(static_cast<std::size_t>(cluster.processors), "processor"),
                        counted(static_cast<std::size_t>(coming), "reservation"));
  }
  return text;
}

// "t17 -> t31 -> t48 are critical; 1h05m waits for the reservation that ends 4h from now".
std::string describe_reason(const Problem& problem, const Plan& plan) {
  const auto chain = critical_chain(problem, plan);
  std::string text;
  constexpr std::size_t kShown = 4;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    if (chain.size() > kShown && i == kShown - 1 && i + 1 < chain.size()) {
      text += fmt::format(" -> ({} more)", chain.size() - kShown);
      i = chain.size() - 1;
    }
    const Placement& placement = plan.placements[chain[i].placement];
    if (!text.empty()) text += " -> ";
    text += problem.workflows()[placement.workflow].id(placement.task);
  }
  text += chain.size() == 1 ? " is critical" : " are critical";
  const auto longest = std::max_element(
      chain.begin(), chain.end(), [](const CriticalLink& a, const CriticalLink& b) {
        return (a.for_reservation ? a.waited : 0) < (b.for_reservation ? b.waited : 0);
      });
  if (longest != chain.end() && longest->for_reservation) {
    text +=
        fmt::format("; {} waits for the reservation that ends {}", format_duration(longest->waited),
                    moment_text(problem.platform(), plan.placements[longest->placement].start));
  }
  return text;
}

// The plans that no other plan beats in both turn-around and CPU time, earliest first.
std::vector<const Plan*> undominated(const std::vector<Plan>& plans) {
  std::vector<const Plan*> sorted;
  for (const Plan& plan : plans) {
    if (plan.feasible) sorted.push_back(&plan);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const Plan* a, const Plan* b) {
    return std::pair(makespan(*a), consumed(*a)) < std::pair(makespan(*b), consumed(*b));
  });
  std::vector<const Plan*> front;
  for (const Plan* plan : sorted) {
    if (front.empty() || consumed(*plan) < consumed(*front.back())) front.push_back(plan);
  }
  return front;
}

std::string describe_ways(const std::vector<Plan>& plans, const Plan& chosen) {
  auto ways = undominated(plans);
  constexpr std::size_t kShown = 4;
  if (ways.size() > kShown) ways.erase(ways.begin() + kShown - 1, ways.end() - 1);
  std::string text;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const char* how = i == 0 ? "earliest" : i + 1 == ways.size() ? "cheapest" : "cheaper";
    const std::string& name = ways[i]->algorithm;
    text += fmt::format("  {:<11} {:<9} {:>7} {:>9.1f} h      {}\n", i == 0 ? "other ways" : "",
                        how, format_duration(makespan(*ways[i])), cpu_hours(*ways[i]),
                        name == chosen.algorithm ? fmt::format("{:<16} <- this plan", name) : name);
  }
  return text;
}

void print_for_people(const Problem& problem, const std::vector<Plan>& plans, const Plan& plan) {
  fmt::print("{}\n\n", describe_problem(problem));
  if (!plan.feasible) {
    fmt::print("  no plan found: the tasks do not fit before the cluster leaves\n");
    return;
  }
  const Duration length = makespan(plan);
  fmt::print("  {:<11} in {}", "ends", format_duration(length));
  if (problem.platform().wall_clock()) fmt::print("  ({})", format_date(plan.now + length));
  fmt::print("\n  {:<11} {:.1f} CPU-hours, at most {}\n", "uses", cpu_hours(plan),
             counted(static_cast<std::size_t>(peak_procs(plan)), "processor"));
  fmt::print("  {:<11} {}\n\n", "because", describe_reason(problem, plan));
  // With one algorithm asked for by name there is nothing to compare with.
  if (plans.size() > 1) fmt::print("{}", describe_ways(plans, plan));
}

void write_files(const Arguments& arguments, const PlanRecord& record) {
  std::string plan_file = arguments.output;
  std::string gantt_file = arguments.gantt;
  const bool by_default = plan_file.empty() && gantt_file.empty() && !arguments.json;
  if (by_default) {
    plan_file = "plan.json";
    gantt_file = "plan.html";
  }
  const std::string plan = plan_file.empty() ? "" : format_plan(record);
  const std::string gantt = gantt_file.empty()             ? ""
                            : gantt_file.ends_with(".svg") ? gantt_svg(record)
                                                           : gantt_html(record);
  std::vector<OutputFile> files;
  if (!plan_file.empty()) files.push_back({plan_file, plan});
  if (!gantt_file.empty()) files.push_back({gantt_file, gantt});
  write_files(files);
  if (arguments.json || plan_file == "-" || gantt_file == "-") return;
  std::string written = plan_file;
  if (!gantt_file.empty()) written += (written.empty() ? "" : " and ") + gantt_file;
  const bool both = !plan_file.empty() && !gantt_file.empty();
  fmt::print("  {} {} written", written, both ? "are" : "is");
  if (!plan_file.empty() && record.feasible) {
    fmt::print("          next: dovetail show {}", plan_file);
  }
  fmt::print("\n");
}

void check_gantt_name(const std::string& name) {
  if (name.empty() || name == "-" || name.ends_with(".html") || name.ends_with(".svg")) return;
  throw InputError("--gantt: expected a name that ends in .html or .svg, found \"" + name + "\"");
}

Exit run(const Arguments& arguments) {
  check_gantt_name(arguments.gantt);
  protect_inputs(arguments.problem.files(), {arguments.output, arguments.gantt});
  const Problem problem = arguments.problem.load();
  const PlannerOptions options = arguments.planner.options();
  std::vector<Plan> plans;
  if (arguments.algorithm.empty()) {
    require_planner(problem);
    plans = plan_all(problem, options);
  } else {
    plans.push_back(plan(choose_planner(arguments.algorithm, problem), problem, options));
  }
  const Plan& chosen = plans[best_plan(plans)];
  const PlanRecord record = make_record(problem, chosen);
  const bool talk = !arguments.json && arguments.output != "-" && arguments.gantt != "-";
  if (talk) print_for_people(problem, plans, chosen);
  if (arguments.json && arguments.output != "-") fmt::print("{}", format_plan(record));
  std::fflush(stdout);
  if (chosen.feasible || !arguments.output.empty()) write_files(arguments, record);
  return chosen.feasible ? Exit::fine : Exit::no;
}

}  // namespace

void add_plan(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand("plan", "when and how wide each task should run");
  auto arguments = std::make_shared<Arguments>();
  arguments->problem.add_workflows(*command, "WORKFLOW");
  arguments->problem.add_cluster(*command);
  command->add_option("--algorithm", arguments->algorithm,
                      "by name (see: dovetail algorithms); default: the best for the goal");
  command->add_option("--goal", arguments->goal, "turnaround: end as early as possible")
      ->check(CLI::IsMember({"turnaround"}).description(""));
  arguments->planner.add(*command);
  command->add_flag("--json", arguments->json, "the plan as JSON on standard output");
  command->add_option("-o,--output", arguments->output, "write the plan to this file");
  command->add_option("--gantt", arguments->gantt, "write a picture: FILE.html or FILE.svg");
  command->footer(
      "Without --json, -o and --gantt it writes plan.json and plan.html.\n"
      "Example: dovetail plan flow.yaml -c cluster.yaml -o plan.json --gantt plan.svg");
  command->callback([arguments, &status] { status = run(*arguments); });
}

}  // namespace dovetail::cli
