// dovetail plan: a plan for one or several workflows, and in words why it is as it is.
#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/deadline_option.hpp"
#include "cli/plan/describe.hpp"
#include "cli/plan/fair_table.hpp"
#include "cli/plan/plan_output.hpp"
#include "dovetail/answer.hpp"
#include "dovetail/error.hpp"
#include "dovetail/metrics.hpp"
#include "io/text.hpp"
#include "planners/list/cluster_view.hpp"
#include "planners/list/tightest.hpp"

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

// Throws InputError when the options ask for what cannot be.
void require_sense(const PlanArguments& arguments, const PlannerInfo& planner,
                   const Problem& problem) {
  const bool is_search = planner.name == "DOVETAIL";
  if (arguments.tightest) {
    if (planner.goal == Goal::deadline || is_search) return;
    throw InputError(
        fmt::format("--tightest: {} does not plan for deadlines; DOVETAIL does, and those whose "
                    "names begin with DL_",
                    planner.name));
  }
  warn_if_blind(planner, problem);
  if (!is_search) arguments.planner.search.forbid("--algorithm " + std::string(planner.name), true);
  if (planner.goal == Goal::deadline && !problem.deadline()) {
    throw InputError(
        fmt::format("--algorithm: {} plans for a deadline; give --deadline T, or --tightest to "
                    "find the tightest",
                    planner.name));
  }
}

AnswerRequest request_of(const PlanArguments& arguments, const Problem& problem) {
  const SearchArguments& search = arguments.planner.search;
  AnswerRequest request{.tightest = arguments.tightest,
                        .keeps_cpu_limit = search.budget || search.cpu_factor};
  if (arguments.algorithm.empty()) {
    require_planner(problem);
    const std::string unfit = planning::single_cluster_unfit(problem);
    if (arguments.tightest && !unfit.empty()) {
      throw InputError("--tightest: every algorithm for deadlines " + unfit);
    }
  } else {
    request.algorithm = &choose_planner(arguments.algorithm, problem);
    require_sense(arguments, *request.algorithm, problem);
  }
  return request;
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
  for (const Plan& plan : answer.ways) {
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
    say("  no plan found{} within the budget; {}\n", by, describe_cheapest(problem, answer));
    return;
  }
  if (problem.deadline()) {
    const std::string deadline = moment_text(problem.platform(), *problem.deadline());
    if (is_proved_impossible(answer, *problem.deadline())) {
      say("  no plan ends by the deadline, {}: that is proved\n", deadline);
    } else {
      say("  no plan found{} that ends by the deadline, {}\n", by, deadline);
    }
    const bool is_cluster = problem.platform().clusters().size() == 1;
    const Duration shortest = is_cluster ? planning::shortest_makespan(context) : 0;
    if (*problem.deadline() - problem.now() < shortest) {
      say("  {:<11} the critical path alone takes {}, with every task as wide as it may be\n",
          "because", format_duration(shortest));
    }
  } else {
    say("  no plan found{}: no room was found for the tasks before the cluster leaves\n", by);
  }
  if (answer.earliest) {
    say("  {:<11} {}{}\n", "earliest", describe_earliest(*answer.earliest),
        leave_out(problem, answer, named));
  } else if (problem.deadline()) {
    say("  {:<11} none: no room was found before the cluster leaves\n", "earliest");
  }
}

void print_tightest(const Answer& answer) {
  Table table({"  algorithm", "tightest deadline", "CPU-hours", "processors", "lambda", ""});
  for (const Plan& plan : answer.by_algorithm) {
    if (!plan.feasible) {
      table.add({"  " + plan.algorithm, "none"});
      continue;
    }
    table.add({"  " + plan.algorithm, exact_duration(*plan.deadline - plan.now),
               io::hours_text(cpu_hours(plan)), std::to_string(peak_procs(plan)),
               plan.lambda ? fmt::format("{:.2f}", *plan.lambda) : "",
               plan.algorithm == answer.plan.algorithm ? "<- this plan" : ""});
  }
  say("{}", table.text());
}

void print_for_people(const PlanArguments& arguments, PlanningContext& context,
                      const Answer& answer) {
  const Problem& problem = context.problem();
  say("{}\n\n", describe_problem(problem));
  if (!answer.plan.feasible) {
    const bool is_named = !arguments.algorithm.empty() && arguments.algorithm != "DOVETAIL";
    print_failure(context, answer, is_named);
    return;
  }
  say("{}\n", describe_plan(problem, answer.plan));
  const PlannerInfo* planner = find_planner(answer.plan.algorithm);
  if (planner != nullptr && planner->goal == Goal::fair) {
    say("{}\n", describe_fates(problem, answer.plan));
  } else if (problem.workflows().size() > 1) {
    say("{}\n", describe_workflows(problem, answer.plan));
  }
  if (arguments.tightest) {
    print_tightest(answer);
  } else if (!answer.by_algorithm.empty()) {
    say("{}", FairTable(problem, answer.by_algorithm).text("  ", &answer.plan));
  }
  // With one algorithm asked for by name there is nothing to compare with.
  if (!answer.ways.empty()) {
    say("{}", describe_ways(answer.ways, answer.plan, answer.has_earliest_way));
  }
}

PlanRecord record_of(const PlanArguments& arguments, const Problem& problem, const Answer& answer) {
  PlanRecord record = make_record(problem, answer.plan);
  if (answer.earliest) {
    record.earliest_deadline = answer.earliest->now + makespan(*answer.earliest);
    record.earliest_algorithm = answer.earliest->algorithm;
  }
  if (!arguments.tightest) return record;
  for (const Plan& plan : answer.by_algorithm) {
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
  const Answer answer = find_answer(context, request_of(arguments, problem));
  if (!arguments.tightest && !answer.by_algorithm.empty()) note_left_out(problem);
  if (arguments.output.talks()) print_for_people(arguments, context, answer);
  arguments.output.write(record_of(arguments, problem, answer));
  return answer.plan.feasible ? Exit::fine : Exit::no;
}

}  // namespace

void add_plan(CLI::App& program, Exit& status) {
  const auto [command, a] = add_verb<PlanArguments>(
      program, status, "plan", "decide when each task runs, and on how many processors", run);
  a.problem.add_workflows(command, "WORKFLOW");
  a.problem.add_cluster(command);
  command.add_option(
      "--algorithm", a.algorithm,
      "plan with this algorithm (see: dovetail algorithms); default: DOVETAIL where it can");
  a.goal.add(command);
  command.add_flag("--tightest", a.tightest,
                   "find the tightest deadline that each algorithm can meet");
  a.planner.add(command);
  a.planner.search.add_budget(command);
  a.output.add(command);
  command.footer(
      "Without --json, -o and --gantt it writes plan.json and plan.html.\n"
      "Example: dovetail plan flow.yaml -c cluster.yaml -o plan.json --gantt plan.svg\n"
      "         dovetail plan flow.yaml -c cluster.yaml --deadline 6h40m\n"
      "         dovetail plan a.yaml b.yaml c.yaml -c cluster.yaml --goal fair");
}

}  // namespace dovetail::cli
