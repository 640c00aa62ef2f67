// dovetail plan: a plan for one or several workflows, and in words why it is as it is.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "cli/command.hpp"
#include "cli/moment_option.hpp"
#include "cli/plan/describe.hpp"
#include "cli/plan/fair_table.hpp"
#include "cli/plan/plan_output.hpp"
#include "dovetail/error.hpp"
#include "dovetail/frontier.hpp"
#include "dovetail/metrics.hpp"
#include "dovetail/pull_forward.hpp"
#include "dovetail/tightest.hpp"
#include "io/text.hpp"
#include "planners/fair/fair_search.hpp"

namespace dovetail::cli {

namespace {

struct PlanArguments {
  ProblemArguments problem;
  GoalArguments goal;
  PlannerArguments planner;
  std::string algorithm;
  bool tightest = false;
  PlanOutput output;
};

struct Answer {
  Plan plan = {};
  Frontier known = {};                // what was found on the way, for comparison
  std::optional<Plan> earliest = {};  // when the deadline was missed: the plan that ends first
  std::vector<Plan> tightest = {};    // when asked for: one plan per algorithm
  std::vector<Plan> fair = {};        // for the goal fair: one plan per algorithm
};

// Without a plan: what was asked for, and what could be had.
Answer missed(PlanningContext& context, std::optional<Plan> earliest, std::string_view algorithm) {
  Answer answer{.earliest = std::move(earliest)};
  answer.plan = {
      .algorithm = std::string(algorithm.empty() ? answer.earliest->algorithm : algorithm),
      .now = context.problem().now(),
      .deadline = context.problem().deadline(),
      .feasible = false};
  if (!answer.earliest->feasible) answer.earliest.reset();
  return answer;
}

Answer missed(PlanningContext& context, const Frontier& known, std::string_view algorithm) {
  return missed(context, earliest_plan(context, known), algorithm);
}

// For the goal fair; what was found too late is the earliest, or one of the published plans is.
Answer missed_fair(PlanningContext& context, std::string_view algorithm,
                   const Plan* late = nullptr) {
  Plan earliest = earliest_fair_plan(context);
  if (late != nullptr && late->feasible &&
      (!earliest.feasible || makespan(*late) < makespan(earliest))) {
    earliest = *late;
  }
  if (!earliest.feasible) earliest = earliest_plan(context, known_plans(context));
  return missed(context, std::move(earliest), algorithm);
}

// With a deadline the cheapest plan in time; a plan made for a tighter deadline meets this one as
// well, and often is cheaper, so that all plans known are looked at.
Answer find_published(PlanningContext& context, Frontier known) {
  const Problem& problem = context.problem();
  const Plan* best = known.plans().empty() ? nullptr : &known.plans().front();
  if (problem.goal() == Goal::deadline) {
    best = last_within(known.plans(), *problem.deadline() - problem.now());
  }
  if (best == nullptr) return missed(context, known, {});
  Answer answer{.plan = problem.goal() == Goal::deadline ? *best : earliest_plan(context, known)};
  if (problem.deadline() && problem.now() + makespan(answer.plan) > *problem.deadline()) {
    return missed(context, known, {});
  }
  answer.plan.deadline = problem.deadline();
  answer.known = std::move(known);
  return answer;
}

// With very many tasks, or within a time limit, the search is on its own; but for a deadline, where
// published plans may be cheaper than all that it finds.
Frontier known_before(PlanningContext& context) {
  const Problem& problem = context.problem();
  if (!can_search(problem)) return known_for_goal(context);
  if (problem.task_count() > kManyTasks) return {};
  if (!context.options().search.seconds) return known_for_goal(context);
  if (problem.goal() == Goal::deadline) return known_in_time(context, *problem.deadline());
  return {};
}

bool is_in_time(const Problem& problem, const Plan& plan) {
  return plan.feasible &&
         (!problem.deadline() || problem.now() + makespan(plan) <= *problem.deadline());
}

// Up to so many tasks, two more searches are no time to wait for.
constexpr std::size_t kTasksForWays = 200;

bool knows_fastest(const PlanningContext& context) {
  return !context.options().search.seconds && context.problem().task_count() <= kTasksForWays;
}

using SteadyMoment = std::chrono::steady_clock::time_point;

PlannerOptions with_time_left(PlannerOptions options, SteadyMoment began) {
  const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - began;
  if (options.search.seconds) *options.search.seconds -= gone.count();
  return options;
}

Plan plan_with_time_left(PlanningContext& context, SteadyMoment began, const Frontier& known) {
  const Problem& problem = context.problem();
  const auto deadline = problem.goal() == Goal::deadline ? problem.deadline() : std::nullopt;
  if (!context.options().search.seconds) return plan_from(context, deadline, known.plans());
  PlanningContext limited(problem, with_time_left(context.options(), began));
  return plan_from(limited, deadline, known.plans());
}

// What plan would answer without a limit of CPU time, and with the usual one: so that the earliest
// way shown is the one that --fastest gives, and is never later than that without any option.
void offer_earliest_ways(PlanningContext& context, Frontier& known) {
  const Problem& problem = context.problem();
  const SearchLimits& asked = context.options().search;
  PlannerOptions options = context.options();
  options.search.budget.reset();
  options.search.trials =
      std::min(trials_of(asked, problem.task_count()), trials_of({}, problem.task_count()));
  for (const auto factor : {SearchLimits{}.cpu_factor, std::optional<double>{}}) {
    const bool is_asked =
        problem.goal() == Goal::turnaround && !asked.budget && asked.cpu_factor == factor;
    if (is_asked) continue;  // that is searched for anyway
    options.search.cpu_factor = factor;
    PlanningContext other(problem, options);
    known.offer(plan_from(other, std::nullopt, known.plans()));
  }
}

// `limits_hours`: a limit of CPU-hours was asked for, which is not given up for a deadline.
Answer find_best(PlanningContext& context, bool limits_hours) {
  const Problem& problem = context.problem();
  const auto began = std::chrono::steady_clock::now();
  Frontier known = known_before(context);
  if (!can_search(problem)) return find_published(context, std::move(known));
  if (knows_fastest(context)) offer_earliest_ways(context, known);
  Answer answer{.plan = plan_with_time_left(context, began, known)};
  if (!is_in_time(problem, answer.plan)) {
    PlanningContext free(problem, with_time_left(at_any_cost(context.options()), began));
    answer.plan = plan_from(free, std::nullopt, known.plans());
    // A deadline counts for more than thrift that nobody asked for.
    const bool is_too_dear = limits_hours || problem.goal() == Goal::deadline;
    if (is_too_dear || !problem.deadline() || !is_in_time(problem, answer.plan)) {
      Answer late = missed(context, std::move(answer.plan), "DOVETAIL");
      late.known = std::move(known);
      return late;
    }
  }
  answer.plan.deadline = problem.deadline();
  if (context.options().search.seconds) return answer;  // too little is known to compare with
  known.offer(answer.plan);
  answer.known = std::move(known);
  return answer;
}

// Unless there are very many tasks: by search, with all published algorithms for comparison.
Answer find_fair(PlanningContext& context) {
  const Problem& problem = context.problem();
  if (problem.task_count() > kManyTasks) {
    Answer answer{.plan = fair_plan(context)};
    if (answer.plan.feasible) return answer;
    return missed_fair(context, answer.plan.algorithm);
  }
  note_left_out(context.problem());
  std::vector<Plan> plans = plan_all(context);
  std::size_t chosen = fairest_plan(problem, plans);
  Plan found = plan_fair_search(context, problem.deadline(), plans);
  found.deadline = problem.deadline();
  const bool is_found = is_in_time(problem, found);
  if (!is_found && !plans[chosen].feasible) {
    return missed_fair(context, plans[chosen].algorithm, &found);
  }
  if (is_found) {
    chosen = plans.size();
    plans.push_back(std::move(found));
  }
  Answer answer{.plan = plans[chosen]};
  answer.fair = std::move(plans);
  return answer;
}

Answer find_plan_by(const PlannerInfo& planner, PlanningContext& context) {
  const Problem& problem = context.problem();
  if (planner.goal == Goal::deadline && !problem.deadline()) {
    throw InputError(
        fmt::format("--algorithm: {} plans for a deadline; give --deadline T, or --tightest to "
                    "find the tightest",
                    planner.name));
  }
  Answer answer{.plan = plan_by(planner, context, problem.deadline())};
  if (answer.plan.feasible) return answer;
  if (problem.goal() == Goal::fair) return missed_fair(context, planner.name);
  return missed(context, known_plans(context), planner.name);
}

Answer find_plan(const PlanArguments& arguments, PlanningContext& context) {
  const Problem& problem = context.problem();
  const SearchArguments& search = arguments.planner.search;
  const bool limits_hours = search.budget || search.cpu_factor;
  if (!arguments.algorithm.empty()) {
    const PlannerInfo& planner = choose_planner(arguments.algorithm, problem);
    warn_if_blind(planner, problem);
    if (planner.name == "DOVETAIL") return find_best(context, limits_hours);
    search.forbid("--algorithm " + std::string(planner.name), true);
    return find_plan_by(planner, context);
  }
  require_planner(problem);
  if (problem.goal() == Goal::fair) return find_fair(context);
  return find_best(context, limits_hours);
}

// As early as the search can, at any cost.
Plan tightest_by_search(PlanningContext& context, const std::vector<Plan>& tightest,
                        SteadyMoment began) {
  const Problem& problem = context.problem();
  std::vector<Plan> known = known_before(context).plans();
  for (const Plan& plan : tightest) known.push_back(pull_forward(problem, plan));
  PlanningContext free(problem, with_time_left(at_any_cost(context.options()), began));
  Plan plan = plan_from(free, std::nullopt, known);
  if (plan.feasible) plan.deadline = plan.now + makespan(plan);
  return plan;
}

Answer find_tightest(const PlanArguments& arguments, PlanningContext& context) {
  Answer answer;
  const auto began = std::chrono::steady_clock::now();
  const auto search = [&](const std::vector<Plan>& published) {
    return tightest_by_search(context, published, began);
  };
  if (arguments.algorithm.empty()) {
    require_planner(context.problem());
    answer.tightest = tightest_plans(context);
    if (can_search(context.problem())) answer.tightest.push_back(search(answer.tightest));
  } else {
    const PlannerInfo& planner = choose_planner(arguments.algorithm, context.problem());
    if (planner.goal != Goal::deadline && planner.name != "DOVETAIL") {
      throw InputError(
          fmt::format("--tightest: {} does not plan for deadlines; DOVETAIL does, and those whose "
                      "names begin with DL_",
                      planner.name));
    }
    answer.tightest.push_back(planner.goal == Goal::deadline ? tightest_plan(planner, context)
                                                             : search(tightest_plans(context)));
  }
  const auto tighter = [](const Plan& a, const Plan& b) {
    if (a.feasible != b.feasible) return a.feasible;
    return a.deadline != b.deadline ? a.deadline < b.deadline : consumed(a) < consumed(b);
  };
  answer.plan = *std::min_element(answer.tightest.begin(), answer.tightest.end(), tighter);
  return answer;
}

// Which options have to go to get the earliest plan.
std::string leave_out(const Problem& problem, const Answer& answer, bool named) {
  const PlannerInfo* planner = find_planner(answer.earliest->algorithm);
  const bool is_fair = planner != nullptr && planner->goal == Goal::fair;
  std::vector<std::string> options;
  const bool is_named = is_fair && answer.earliest->algorithm == answer.plan.algorithm;
  if (named && !is_named) options.emplace_back("--algorithm");
  if (problem.goal() == Goal::fair && !is_fair) options.emplace_back("--goal fair");
  return options.empty() ? "" : fmt::format(" without {}", fmt::join(options, " and "));
}

// What a larger budget would have to be.
std::string describe_cheapest(const Problem& problem, const Answer& answer) {
  double hours = cpu_hours(*answer.earliest);
  for (const Plan& plan : answer.known.plans()) {
    if (is_in_time(problem, plan)) hours = std::min(hours, cpu_hours(plan));
  }
  return "the cheapest known needs --budget " + io::hours_text(hours);
}

// By the certificate of the earliest plan, which is about ends whatever they cost.
bool is_proved_impossible(const Answer& answer, Time deadline) {
  if (!answer.earliest || !answer.earliest->search) return false;
  const auto& proof = answer.earliest->search->certificate;
  return proof && proof->work == 0 && !proof->budget && proof->end >= deadline;
}

void print_failure(PlanningContext& context, const Answer& answer, bool named) {
  const Problem& problem = context.problem();
  const std::string by = named ? " by " + answer.plan.algorithm : "";
  const bool fair = problem.goal() == Goal::fair;
  if (answer.earliest && !named && !fair && is_in_time(problem, *answer.earliest)) {
    fmt::print("  no plan found{} within the budget; {}\n", by, describe_cheapest(problem, answer));
    return;
  }
  if (problem.deadline()) {
    const std::string deadline = moment_text(problem.platform(), *problem.deadline());
    if (is_proved_impossible(answer, *problem.deadline())) {
      fmt::print("  no plan ends by the deadline, {}: that is proved\n", deadline);
    } else {
      fmt::print("  no plan found{} that ends by the deadline, {}\n", by, deadline);
    }
    const bool is_cluster = problem.platform().clusters().size() == 1;
    const Duration shortest = is_cluster ? shortest_makespan(context) : 0;
    if (*problem.deadline() - problem.now() < shortest) {
      fmt::print(
          "  {:<11} the critical path alone takes {}, with every task as wide as it may be\n",
          "because", format_duration(shortest));
    }
  } else {
    fmt::print("  no plan found{}: no room was found for the tasks before the cluster leaves\n",
               by);
  }
  if (answer.earliest) {
    fmt::print("  {:<11} {}{}\n", "earliest", describe_earliest(*answer.earliest),
               leave_out(problem, answer, named));
  } else if (problem.deadline()) {
    fmt::print("  {:<11} none: no room was found before the cluster leaves\n", "earliest");
  }
}

void print_tightest(const Answer& answer) {
  Table table({"  algorithm", "tightest deadline", "CPU-hours", "processors", "lambda", ""});
  for (const Plan& plan : answer.tightest) {
    if (!plan.feasible) {
      table.add({"  " + plan.algorithm, "none"});
      continue;
    }
    table.add({"  " + plan.algorithm, exact_duration(*plan.deadline - plan.now),
               io::hours_text(cpu_hours(plan)), std::to_string(peak_procs(plan)),
               plan.lambda ? fmt::format("{:.2f}", *plan.lambda) : "",
               plan.algorithm == answer.plan.algorithm ? "<- this plan" : ""});
  }
  fmt::print("{}", table.text());
}

void print_for_people(PlanningContext& context, const Answer& answer, bool named) {
  fmt::print("{}\n\n", describe_problem(context.problem()));
  if (!answer.plan.feasible) {
    print_failure(context, answer, named);
    return;
  }
  fmt::print("{}\n", describe_plan(context.problem(), answer.plan));
  const PlannerInfo* planner = find_planner(answer.plan.algorithm);
  if (planner != nullptr && planner->goal == Goal::fair) {
    fmt::print("{}\n", describe_fates(context.problem(), answer.plan));
  } else if (context.problem().workflows().size() > 1) {
    fmt::print("{}\n", describe_workflows(context.problem(), answer.plan));
  }
  if (!answer.fair.empty()) {
    fmt::print("{}", FairTable(context.problem(), answer.fair).text("  ", &answer.plan));
  }
  if (!answer.tightest.empty()) print_tightest(answer);
  // With one algorithm asked for by name there is nothing to compare with.
  if (!answer.known.plans().empty()) {
    const std::size_t tasks = context.problem().task_count();
    const bool is_usual = trials_of(context.options().search, tasks) <= trials_of({}, tasks);
    const bool is_sure = knows_fastest(context) && is_usual;
    fmt::print("{}", describe_ways(answer.known.plans(), answer.plan, is_sure));
  }
}

PlanRecord record_of(const Problem& problem, const Answer& answer) {
  PlanRecord record = make_record(problem, answer.plan);
  if (answer.earliest) {
    record.earliest_deadline = answer.earliest->now + makespan(*answer.earliest);
    record.earliest_algorithm = answer.earliest->algorithm;
  }
  for (const Plan& plan : answer.tightest) {
    record.tightest.push_back({.algorithm = plan.algorithm,
                               .deadline = plan.feasible ? plan.deadline : std::nullopt,
                               .cpu_hours = cpu_hours(plan)});
  }
  return record;
}

Exit run(const PlanArguments& arguments) {
  arguments.output.require_good_names(arguments.problem.files());
  if (arguments.tightest && arguments.goal.deadline) {
    throw InputError("--tightest: finds the deadline itself; leave --deadline out");
  }
  if (arguments.tightest && arguments.goal.goal && arguments.goal.goal != Goal::deadline) {
    throw InputError("--tightest: is about deadlines; leave --goal out");
  }
  // The search for a deadline begins with a problem that has none.
  const Problem problem =
      arguments.problem.load(arguments.tightest ? GoalArguments{} : arguments.goal);
  arguments.planner.search.forbid_for(arguments.tightest ? Goal::deadline : problem.goal());
  PlanningContext context(problem, arguments.planner.options());
  const Answer answer =
      arguments.tightest ? find_tightest(arguments, context) : find_plan(arguments, context);
  if (arguments.output.talks()) {
    const bool is_named = !arguments.algorithm.empty() && arguments.algorithm != "DOVETAIL";
    print_for_people(context, answer, is_named);
  }
  arguments.output.write(record_of(problem, answer));
  return answer.plan.feasible ? Exit::fine : Exit::no;
}

}  // namespace

void add_plan(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand("plan", "when and how wide each task should run");
  auto arguments = std::make_shared<PlanArguments>();
  arguments->problem.add_workflows(*command, "WORKFLOW");
  arguments->problem.add_cluster(*command);
  command->add_option("--algorithm", arguments->algorithm,
                      "by name (see: dovetail algorithms); default: DOVETAIL where it can");
  arguments->goal.add(*command);
  command->add_flag("--tightest", arguments->tightest,
                    "the tightest deadline that each algorithm can meet");
  arguments->planner.add(*command);
  arguments->planner.search.add_budget(*command);
  arguments->output.add(*command);
  command->footer(
      "Without --json, -o and --gantt it writes plan.json and plan.html.\n"
      "Example: dovetail plan flow.yaml -c cluster.yaml -o plan.json --gantt plan.svg\n"
      "         dovetail plan flow.yaml -c cluster.yaml --deadline 6h40m\n"
      "         dovetail plan a.yaml b.yaml c.yaml -c cluster.yaml --goal fair");
  command->callback([arguments, &status] { status = run(*arguments); });
}

}  // namespace dovetail::cli
