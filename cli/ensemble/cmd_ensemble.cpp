// dovetail ensemble: groups of processors and scenarios per cluster for many chains of months.
#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/ensemble/ensemble_input.hpp"
#include "cli/ensemble/ensemble_output.hpp"
#include "core/mapped.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/text.hpp"
#include "planners/ensemble/month_dispatch.hpp"
#include "planners/ensemble/month_simulation.hpp"

namespace dovetail::cli {

namespace {

// Simulates month by month, on clusters without other load.
EnsembleAnswer simulated_answer(const EnsembleInput& input) {
  const Ensemble& ensemble = input.ensemble;
  EnsembleAnswer answer{ensemble.scenarios, ensemble.months, input.choices,
                        planning::plan_ensemble(ensemble, input.choices),
                        mapped(ensemble.sites, &EnsembleSite::processors)};
  for (std::size_t c = 0; input.arguments.needs_schedule() && c < ensemble.sites.size(); ++c) {
    const planning::SitePlan& site = answer.plan.sites[c];
    auto& runs = answer.schedules.emplace_back();
    if (site.grouping.groups.empty()) continue;
    const planning::MonthProblem problem = planning::month_problem(
        ensemble.sites[c], ensemble.rules, site.planned_for, ensemble.months);
    runs = planning::simulate_months(problem, site.grouping, input.choices.dispatch,
                                     planning::KeepRuns::yes)
               .runs;
  }
  if (input.arguments.vectors) {
    for (planning::PerformanceVector& vector : planning::performance_of(ensemble, input.choices)) {
      answer.vectors.push_back(mapped(std::views::iota(1, ensemble.scenarios + 1),
                                      [&](Count k) { return vector.at(k); }));
    }
  }
  return answer;
}

// If the months do not all fit, `full_cluster` gets the name of a cluster without room.
EnsembleAnswer planned_answer(const EnsembleInput& input, std::string& full_cluster) {
  EnsembleAnswer answer{input.ensemble.scenarios,
                        input.ensemble.months,
                        input.choices,
                        {},
                        mapped(input.ensemble.sites, &EnsembleSite::processors)};
  auto plan = calendar_plan(input, full_cluster);
  if (!plan) {
    answer.plan.makespan = kForever;
    return answer;
  }
  const EnsembleArguments& arguments = input.arguments;
  if (!arguments.plan.empty()) {
    write_file(arguments.plan, format_plan(make_record(plan->problem, plan->plan)));
  }
  if (!arguments.folder.empty()) export_plan(*plan, arguments.folder);
  answer.plan = std::move(plan->summary);
  if (!arguments.needs_schedule()) return answer;
  answer.schedules = std::move(plan->runs);
  answer.off_chain = std::move(plan->off_chain);
  const Platform& ours = plan->problem.platform();
  for (std::size_t c = 0; c < ours.clusters().size(); ++c) {
    auto& absent = answer.absent.emplace_back();
    for (const Step& step :
         ours.calendar(c).steps({ours.now(), ours.now() + answer.plan.makespan})) {
      if (step.free == 0) absent.push_back({step.begin, step.end});
    }
  }
  return answer;
}

// The tables of clusters that were not given.
std::string unused_tables(const EnsembleInput& input) {
  std::vector<std::string> names;
  for (const io::EnsembleTable& table : input.file.tables) {
    if (!input.platform.find(table.name)) names.push_back(table.name);
  }
  return names.empty() ? "" : fmt::format("; without {}", fmt::join(names, ", "));
}

// Why the months on a cluster never end.
std::string disk_words(const EnsembleInput& input, const EnsembleAnswer& answer) {
  const auto& sites = answer.plan.sites;
  const auto stuck = std::find_if(sites.begin(), sites.end(), [](const planning::SitePlan& site) {
    return site.makespan >= kForever;
  });
  const EnsembleSite& site = input.ensemble.sites[static_cast<std::size_t>(stuck - sites.begin())];
  const std::string cluster = fmt::format("cluster {}: ", io::quote(site.name));
  if (stuck->grouping.groups.empty()) return cluster + "no group fits";
  const DiskSpec& disk = *input.ensemble.rules.disk;
  const planning::MonthProblem problem =
      planning::month_problem(site, input.ensemble.rules, stuck->planned_for, answer.months);
  const auto result = planning::simulate_months(problem, stuck->grouping, answer.choices.dispatch);
  if (result.months_done > 0 && disk.archive > 0) {
    return cluster +
           fmt::format(
               "archives fill the disk after {} of {} months; fetch them, or give the disk "
               "more capacity",
               result.months_done, problem.all_months());
  }
  const auto groups = static_cast<std::int64_t>(stuck->grouping.groups.size());
  return cluster +
         fmt::format(
             "the margin of {} GB for {} is more than the disk holds; give a smaller margin, "
             "or more capacity",
             static_cast<double>(disk.margin_for(groups)) / 1000,
             counted(stuck->grouping.groups.size(), "group"));
}

void print_answer(const EnsembleInput& input, const EnsembleAnswer& answer) {
  const auto& sites = answer.plan.sites;
  say("{}: {} of {}        {}{}\n\n", input.arguments.file,
      counted(static_cast<std::size_t>(answer.scenarios), "scenario"),
      counted(static_cast<std::size_t>(answer.months), "month"), counted(sites.size(), "cluster"),
      unused_tables(input));
  say("  ends        in {}\n", format_duration(answer.plan.makespan));
  say("  grouped by  {}, months handed out by {}{}\n\n", answer.choices.heuristic->name,
      planning::name_of(answer.choices.dispatch),
      input.needs_calendar() ? ", planned on the calendar" : "");
  say("{}", describe_clusters(answer));
  if (input.needs_calendar() || sites.size() > 1) return;
  const planning::SitePlan& site = sites.front();
  say("\n  the formulas say {}, the simulation {} seconds{}\n\n", format_seconds(site.formula),
      format_seconds(site.makespan),
      site.flushes > 0 ? fmt::format("; the disk is emptied {} times", site.flushes) : "");
  const planning::MonthProblem problem = planning::month_problem(
      input.ensemble.sites.front(), input.ensemble.rules, answer.scenarios, answer.months);
  say("{}", describe_heuristics(problem, answer.choices.dispatch, answer.choices.heuristic->name,
                                !has_huge_knapsack(input.ensemble, input.ensemble.sites.front())));
}

void write_gantt(const EnsembleInput& input, const EnsembleAnswer& answer) {
  const std::string& name = input.arguments.gantt;
  if (name.empty()) return;
  const Time now = input.needs_calendar() ? input.platform.now() : 0;
  const auto picture = picture_of(answer, input.arguments.file, now,
                                  input.needs_calendar() && input.platform.wall_clock());
  write_file(name, name.ends_with(".svg") ? ensemble_svg(picture) : ensemble_html(picture));
}

void write_json(const EnsembleArguments& arguments, const std::string& json) {
  if (arguments.json && arguments.output != "-") say_exact(json);
  if (!arguments.output.empty()) write_file(arguments.output, json);
}

Exit answer_ensemble(const EnsembleInput& input) {
  const EnsembleArguments& arguments = input.arguments;
  std::string full_cluster;
  EnsembleAnswer answer =
      input.needs_calendar() ? planned_answer(input, full_cluster) : simulated_answer(input);
  if (answer.plan.makespan < kForever) write_gantt(input, answer);
  if (!arguments.schedule) answer.schedules.clear();
  write_json(arguments, to_json(answer));
  if (answer.plan.makespan >= kForever) {
    tell("{}: {}\n", arguments.file,
         input.needs_calendar()
             ? fmt::format("cluster {}: its months do not all fit, however late they run; "
                           "make its windows longer, or give it more of them",
                           io::quote(full_cluster))
             : disk_words(input, answer));
    return Exit::no;
  }
  if (arguments.talks()) print_answer(input, answer);
  return Exit::fine;
}

Exit answer_sweep(const EnsembleInput& input) {
  const EnsembleArguments& arguments = input.arguments;
  if (input.needs_calendar() || input.ensemble.sites.size() != 1) {
    throw InputError(
        "--sweep: works only for main and post tasks on one cluster, without repeat, windows, "
        "reservations, --plan and --export");
  }
  const ProcessorSweep sweep =
      sweep_processors(input.ensemble, input.choices.dispatch, read_sweep(arguments.sweep));
  write_json(arguments, to_json(sweep));
  if (!arguments.chart.empty()) {
    const draw::LineChart chart = chart_of(sweep);
    write_file(arguments.chart, arguments.chart.ends_with(".svg")
                                    ? draw::lines_svg({chart})
                                    : draw::lines_html(chart.title, {chart}));
  }
  if (sweep.heuristics.size() < planning::groupings().size()) {
    tell(
        "--sweep: knapsack and best are left out: solving them exactly takes too long on {} "
        "processors\n",
        sweep.rows.back().processors);
  }
  if (arguments.talks()) say("{}", describe_sweep(sweep));
  return Exit::fine;
}

Exit run_ensemble(const EnsembleArguments& arguments) {
  require_picture_name("--gantt", arguments.gantt);
  require_picture_name("--chart", arguments.chart);
  if (!arguments.chart.empty() && arguments.sweep.empty()) {
    throw InputError("--chart: draws a sweep; add --sweep, such as --sweep 11:120");
  }
  protect_inputs({arguments.file, arguments.cluster},
                 {arguments.output, arguments.plan, arguments.gantt, arguments.chart});
  const EnsembleInput input = read_ensemble_input(arguments);
  return arguments.sweep.empty() ? answer_ensemble(input) : answer_sweep(input);
}

}  // namespace

void add_ensemble(CLI::App& program, Exit& status) {
  const auto [command, a] = add_verb<EnsembleArguments>(
      program, status, "ensemble",
      "plan many chains of months (climate ensembles) on groups of processors", run_ensemble);
  command.add_option("FILE", a.file, "read this ensemble file, YAML or JSON; - is standard input")
      ->required();
  command
      .add_option("-c,--cluster", a.cluster,
                  "use this cluster file, whose clusters have the names of the ensemble's tables, "
                  "or a number of processors where there is one table")
      ->required();
  const auto known = mapped(planning::groupings(), &planning::GroupingInfo::name);
  command.add_option(
      "--heuristic", a.heuristic,
      fmt::format("choose how processors are grouped: {}; default best", fmt::join(known, ", ")));
  std::vector<std::pair<std::string, planning::Dispatch>> rules;
  for (const planning::DispatchInfo& rule : planning::dispatch_rules()) {
    rules.emplace_back(rule.name, rule.rule);
  }
  add_choice<planning::Dispatch>(
      command, "--dispatch", a.dispatch, rules,
      "choose which scenario a group takes next: fair, rotate (default) or ideal");
  command.add_option("--repartition", a.repartition,
                     "choose how scenarios are spread over several clusters: greedy (default), "
                     "round-robin or exact");
  command.add_flag("--json", a.json, "print JSON on standard output");
  command.add_flag("--schedule", a.schedule, "add to the JSON when every month runs");
  command.add_flag("--vectors", a.vectors,
                   "add to the JSON how long each cluster takes for 1, 2, ... scenarios");
  const CLI::Validator named(
      [](const std::string& text) { return text.empty() ? "expected a name, found \"\"" : ""; },
      "");
  command.add_option("-o,--output", a.output, "write the JSON to this file")->check(named);
  command.add_option("--plan", a.plan, "write a plan of every task to this file")->check(named);
  command
      .add_option("--export", a.folder,
                  "write the plan with its workflows and clusters to this folder, for check and "
                  "run; it must be new, or an earlier export")
      ->check(named);
  command.add_option("--gantt", a.gantt, "draw the groups over time to this file: .html or .svg")
      ->check(named);
  command
      .add_option("--sweep", a.sweep,
                  "compare the makespans of all heuristics on these numbers of processors instead, "
                  "FROM:TO or FROM:TO:STEP")
      ->check(named);
  command.add_option("--chart", a.chart, "draw the sweep to this file: .html or .svg")
      ->check(named);
  command.footer(
      "Examples: dovetail ensemble climate.yaml -c grid.yaml\n"
      "          dovetail ensemble climate.yaml -c 53 --heuristic knapsack --dispatch fair --json");
}

}  // namespace dovetail::cli
