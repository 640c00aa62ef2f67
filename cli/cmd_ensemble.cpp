// dovetail ensemble: groups of processors and scenarios per cluster for many chains of months.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "command.hpp"
#include "dovetail/check.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "ensemble_output.hpp"
#include "ensemble_pictures.hpp"
#include "io/ensemble_file.hpp"
#include "io/text.hpp"
#include "planners/chain_ensemble.hpp"
#include "planners/dispatch.hpp"
#include "planners/month_simulation.hpp"

namespace dovetail::cli {

namespace {

struct EnsembleArguments {
  std::string file;
  std::string cluster;
  std::string heuristic = "best";
  Dispatch dispatch = Dispatch::rotate;
  std::string repartition = "greedy";
  bool json = false;
  bool schedule = false;
  bool vectors = false;
  std::string output;
  std::string plan;
  std::string folder;
  std::string gantt;
  std::string sweep;
  std::string chart;

  bool talks() const {
    return !json && output != "-" && plan != "-" && gantt != "-" && chart != "-";
  }
  bool needs_schedule() const { return schedule || !gantt.empty(); }
};

// Whether -c is a number or "local": then the only table is meant.
bool is_shorthand(const std::string& cluster) {
  return cluster == "local" || std::all_of(cluster.begin(), cluster.end(),
                                           [](unsigned char c) { return std::isdigit(c) != 0; });
}

template <typename Info>
const Info& chosen_row(const std::string& option, const std::string& name, const Info* found,
                       std::span<const Info> all) {
  if (found != nullptr) return *found;
  std::vector<std::string_view> known;
  for (const Info& row : all) known.push_back(row.name);
  std::string hint = io::did_you_mean(name, known);
  if (hint.empty()) hint = fmt::format("; known are {}", fmt::join(known, ", "));
  throw InputError(fmt::format("{}: there is no {}{}", option, io::quote(name), hint));
}

// What was read.
struct EnsembleInput {
  EnsembleArguments arguments;
  EnsembleChoices choices;
  Platform platform;
  io::EnsembleFile file;
  Ensemble ensemble;

  bool has_windows() const {
    return std::any_of(ensemble.sites.begin(), ensemble.sites.end(),
                       [](const EnsembleSite& site) { return !site.windows.always(); });
  }

  bool is_shared() const {
    return std::any_of(platform.clusters().begin(), platform.clusters().end(),
                       [](const Cluster& cluster) {
                         return !cluster.reservations.empty() || cluster.joins > kBeginning ||
                                cluster.leaves < kForever;
                       });
  }

  // Whether every task must be planned on the calendar.
  bool needs_calendar() const {
    return !file.repeat.empty() || has_windows() || is_shared() || !arguments.plan.empty() ||
           !arguments.folder.empty();
  }
};

// The exact knapsack keeps a table of groups x processors.
void reject_huge_knapsacks(const EnsembleInput& input) {
  constexpr std::int64_t kMostEntries = 200'000'000;
  const std::string_view heuristic = input.choices.heuristic->name;
  if (heuristic != "knapsack" && heuristic != "best") return;
  for (const EnsembleSite& site : input.ensemble.sites) {
    const auto sizes = group_sizes(site, input.ensemble.rules);
    if (sizes.empty() || site.processors / sizes.back().procs >= input.ensemble.scenarios) continue;
    const std::int64_t groups =
        std::min(input.ensemble.scenarios, site.processors / sizes.front().procs);
    if (groups * site.processors <= kMostEntries) continue;
    throw InputError(fmt::format(
        "--heuristic: {} solves a knapsack of {} groups on {} processors of cluster {} exactly, "
        "which is too large; use basic, imp1 or imp2",
        heuristic, groups, site.processors, io::quote(site.name)));
  }
}

EnsembleInput read_input(const EnsembleArguments& arguments) {
  const EnsembleChoices choices{
      &chosen_row("--heuristic", arguments.heuristic, find_grouping(arguments.heuristic),
                  groupings()),
      arguments.dispatch,
      &chosen_row("--repartition", arguments.repartition, find_repartition(arguments.repartition),
                  repartitions())};
  const Platform platform = read_platform(arguments.cluster);
  io::EnsembleFile file = io::read_ensemble(arguments.file, platform.wall_clock());
  Ensemble ensemble = io::on_platform(file, platform, is_shorthand(arguments.cluster));
  EnsembleInput input{arguments, choices, platform, std::move(file), std::move(ensemble)};
  reject_huge_knapsacks(input);
  return input;
}

std::vector<Count> processors_of(const Ensemble& ensemble) {
  std::vector<Count> processors;
  for (const EnsembleSite& site : ensemble.sites) processors.push_back(site.processors);
  return processors;
}

// Simulated, month by month, on clusters that are ours alone.
EnsembleAnswer simulated_answer(const EnsembleInput& input) {
  const Ensemble& ensemble = input.ensemble;
  EnsembleAnswer answer{ensemble.scenarios, ensemble.months, input.choices,
                        plan_ensemble(ensemble, input.choices), processors_of(ensemble)};
  for (std::size_t c = 0; input.arguments.needs_schedule() && c < ensemble.sites.size(); ++c) {
    const SitePlan& site = answer.plan.sites[c];
    auto& runs = answer.schedules.emplace_back();
    if (site.grouping.groups.empty()) continue;
    const MonthProblem problem =
        month_problem(ensemble.sites[c], ensemble.rules, site.planned_for, ensemble.months);
    runs = simulate_months(problem, site.grouping, input.choices.dispatch, KeepRuns::yes).runs;
  }
  if (input.arguments.vectors) {
    for (PerformanceVector& vector : performance_of(ensemble, input.choices)) {
      auto& values = answer.vectors.emplace_back();
      for (Count k = 1; k <= ensemble.scenarios; ++k) values.push_back(vector.at(k));
    }
  }
  return answer;
}

std::vector<TaskId> chain_tasks(const io::EnsembleFile& file, const Workflow& workflow) {
  std::vector<TaskId> chain;
  for (const std::string& id : file.chain) {
    const auto task = workflow.find(id);
    if (!task) {
      io::NearestWord nearest(id);
      for (TaskId t = 0; t < workflow.size(); ++t) nearest.offer(workflow.id(t));
      throw InputError(file.file, file.chain_line,
                       fmt::format("chain: {} has no task {}{}", file.repeat, io::quote(id),
                                   nearest.suggestion()));
    }
    chain.push_back(*task);
  }
  return chain;
}

// The workflow file stands beside the ensemble file.
std::string beside(const std::string& file, const std::string& name) {
  const auto slash = file.rfind('/');
  if (name.starts_with("/") || slash == std::string::npos) return name;
  return file.substr(0, slash + 1) + name;
}

std::vector<RepeatedUnit> units_of(const EnsembleInput& input) {
  std::vector<RepeatedUnit> units;
  if (!input.file.repeat.empty()) {
    const Workflow workflow = read_workflow(beside(input.file.file, input.file.repeat));
    const Problem month({workflow}, input.platform);  // says which task fits nowhere
    units.emplace_back(month.workflows().front(), chain_tasks(input.file, workflow));
    return units;
  }
  if (input.ensemble.rules.disk || input.ensemble.rules.full_speed_posts > 0) {
    throw InputError(input.file.file +
                     ": disk and full_speed_posts are simulated only on clusters without "
                     "reservations and windows, and without --plan and --export");
  }
  for (const EnsembleSite& site : input.ensemble.sites) {
    units.push_back(
        month_unit(group_sizes(site, input.ensemble.rules), site.times.post, site.times.posts));
  }
  return units;
}

// Nothing when there is no room for all months, however long one waits.
std::optional<ChainEnsemblePlan> calendar_plan(const EnsembleInput& input) {
  if (input.choices.dispatch == Dispatch::ideal) {
    throw InputError(
        "--dispatch: ideal lets months of a scenario overlap; no plan of reservations, windows or "
        "tasks can do that");
  }
  ChainEnsemble chains{.platform = input.platform,
                       .units = units_of(input),
                       .windows = {},
                       .scenarios = input.ensemble.scenarios,
                       .months = input.ensemble.months,
                       .node_multiples = input.ensemble.rules.node_multiples,
                       .post_processors = input.ensemble.rules.post_processors,
                       .post_node = input.ensemble.rules.post_node};
  for (const EnsembleSite& site : input.ensemble.sites) chains.windows.push_back(site.windows);
  auto plan = plan_chain_ensemble(chains, input.choices);
  if (!plan) return std::nullopt;
  const auto violations = check(plan->problem, plan->plan, 1);
  if (!violations.empty()) throw std::logic_error("the plan is not valid: " + violations.front());
  return plan;
}

// The files with which `dovetail check` and `dovetail run` take over.
void export_plan(const ChainEnsemblePlan& plan, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);  // writing says what is wrong
  std::vector<std::string> texts;
  std::vector<std::string> names;
  for (const Workflow& workflow : plan.problem.workflows()) {
    names.push_back(fmt::format("{}/{}.yaml", folder, workflow.name()));
    texts.push_back(format_workflow(workflow, WorkflowFormat::yaml));
  }
  names.push_back(folder + "/cluster.yaml");
  texts.push_back(format_platform(plan.problem.platform(), false));
  names.push_back(folder + "/plan.json");
  texts.push_back(format_plan(make_record(plan.problem, plan.plan)));
  std::vector<OutputFile> files;
  for (std::size_t i = 0; i < names.size(); ++i) files.push_back({names[i], texts[i]});
  write_files(files);
}

EnsembleAnswer planned_answer(const EnsembleInput& input) {
  EnsembleAnswer answer{input.ensemble.scenarios,
                        input.ensemble.months,
                        input.choices,
                        {},
                        processors_of(input.ensemble)};
  auto plan = calendar_plan(input);
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
  if (arguments.needs_schedule()) answer.schedules = std::move(plan->runs);
  return answer;
}

void print_answer(const EnsembleInput& input, const EnsembleAnswer& answer) {
  const auto& sites = answer.plan.sites;
  fmt::print("{}: {} of {}        {}\n\n", input.arguments.file,
             counted(static_cast<std::size_t>(answer.scenarios), "scenario"),
             counted(static_cast<std::size_t>(answer.months), "month"),
             counted(sites.size(), "cluster"));
  fmt::print("  ends        in {}\n", format_duration(answer.plan.makespan));
  fmt::print("  grouped by  {}, months handed out by {}{}\n\n", answer.choices.heuristic->name,
             name_of(answer.choices.dispatch),
             input.needs_calendar() ? ", planned on the calendar" : "");
  fmt::print("{}", describe_clusters(answer));
  if (input.needs_calendar() || sites.size() > 1) return;
  const SitePlan& site = sites.front();
  fmt::print("\n  the formulas say {}, the simulation {} seconds{}\n\n",
             format_seconds(site.formula), format_seconds(site.makespan),
             site.flushes > 0 ? fmt::format("; the disk is emptied {} times", site.flushes) : "");
  const MonthProblem problem = month_problem(input.ensemble.sites.front(), input.ensemble.rules,
                                             answer.scenarios, answer.months);
  fmt::print("{}",
             describe_heuristics(problem, answer.choices.dispatch, answer.choices.heuristic->name));
}

void write_gantt(const EnsembleInput& input, const EnsembleAnswer& answer) {
  const std::string& name = input.arguments.gantt;
  if (name.empty()) return;
  const Time now = input.needs_calendar() ? input.platform.now() : 0;
  const auto picture = picture_of(answer, input.arguments.file, now,
                                  input.needs_calendar() && input.platform.wall_clock());
  write_file(name, name.ends_with(".svg") ? ensemble_svg(picture) : ensemble_html(picture));
}

Exit answer_ensemble(const EnsembleInput& input) {
  const EnsembleArguments& arguments = input.arguments;
  EnsembleAnswer answer = input.needs_calendar() ? planned_answer(input) : simulated_answer(input);
  if (answer.plan.makespan < kForever) write_gantt(input, answer);
  if (!arguments.schedule) answer.schedules.clear();
  const std::string json = to_json(answer);
  if (arguments.json && arguments.output != "-") fmt::print("{}", json);
  if (!arguments.output.empty()) write_file(arguments.output, json);
  if (answer.plan.makespan >= kForever) {
    fmt::print(stderr, "{}: {}\n", arguments.file,
               input.needs_calendar() ? "there is no room for all months, however long one waits"
                                      : "the disk fills with archives before the last month");
    return Exit::no;
  }
  if (arguments.talks()) print_answer(input, answer);
  return Exit::fine;
}

Exit answer_sweep(const EnsembleInput& input) {
  const EnsembleArguments& arguments = input.arguments;
  if (!input.file.repeat.empty() || input.ensemble.sites.size() != 1) {
    throw InputError("--sweep: is for main and post tasks on one cluster");
  }
  const ProcessorSweep sweep =
      sweep_processors(input.ensemble, input.choices.dispatch, read_sweep(arguments.sweep));
  if (arguments.json && arguments.output != "-") fmt::print("{}", to_json(sweep));
  if (!arguments.output.empty()) write_file(arguments.output, to_json(sweep));
  if (!arguments.chart.empty()) {
    const io::LineChart chart = chart_of(sweep);
    write_file(arguments.chart, arguments.chart.ends_with(".svg")
                                    ? io::lines_svg({chart})
                                    : io::lines_html(chart.title, {chart}));
  }
  if (arguments.talks()) fmt::print("{}", describe_sweep(sweep));
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
  const EnsembleInput input = read_input(arguments);
  return arguments.sweep.empty() ? answer_ensemble(input) : answer_sweep(input);
}

std::string known_names() {
  std::vector<std::string_view> names;
  for (const GroupingInfo& row : groupings()) names.push_back(row.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void add_ensemble(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand(
      "ensemble", "groups and clusters for many chains of months (climate ensembles)");
  auto a = std::make_shared<EnsembleArguments>();
  command->add_option("FILE", a->file, "ensemble file: YAML or JSON; - is standard input")
      ->required();
  command
      ->add_option("-c,--cluster", a->cluster,
                   "cluster file whose clusters have the names of the ensemble's tables, or a "
                   "number of processors where there is one table")
      ->required();
  command->add_option("--heuristic", a->heuristic,
                      "how processors are grouped: " + known_names() + "; default best");
  std::vector<std::pair<std::string, Dispatch>> rules;
  for (const DispatchInfo& rule : dispatch_rules()) rules.emplace_back(rule.name, rule.rule);
  add_choice<Dispatch>(*command, "--dispatch", a->dispatch, rules,
                       "which scenario a group takes next: fair, rotate (default) or ideal");
  command->add_option("--repartition", a->repartition,
                      "over several clusters: greedy (default), round-robin or exact");
  command->add_flag("--json", a->json, "as JSON on standard output");
  command->add_flag("--schedule", a->schedule, "JSON: also when every month runs");
  command->add_flag("--vectors", a->vectors,
                    "JSON: also how long each cluster takes for 1, 2, ... scenarios");
  command->add_option("-o,--output", a->output, "write the JSON to this file");
  command->add_option("--plan", a->plan, "write a plan of every task to this file");
  command->add_option("--export", a->folder,
                      "write the plan with its workflows and clusters to this folder, for check "
                      "and run");
  command->add_option("--gantt", a->gantt, "draw the groups over time to this file: .html or .svg");
  command->add_option("--sweep", a->sweep,
                      "instead: the makespan of every heuristic on so many processors, FROM:TO or "
                      "FROM:TO:STEP");
  command->add_option("--chart", a->chart, "draw the sweep to this file: .html or .svg");
  command->footer(
      "Examples: dovetail ensemble climate.yaml -c grid.yaml\n"
      "          dovetail ensemble climate.yaml -c 53 --heuristic knapsack --dispatch fair --json");
  command->callback([a, &status] { status = run_ensemble(*a); });
}

}  // namespace dovetail::cli
