// dovetail compare: every algorithm that fits, as one table.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/plan/describe.hpp"
#include "cli/plan/fair_table.hpp"
#include "dovetail/io.hpp"
#include "dovetail/metrics.hpp"
#include "io/text.hpp"
#include "planners/search/known_plans.hpp"
#include "planners/task_limits.hpp"

namespace dovetail::cli {

namespace {

using Json = nlohmann::ordered_json;

struct CompareArguments {
  ProblemArguments problem;
  GoalArguments goal;
  PlannerArguments planner;
  bool json = false;
};

std::string percent_above(double value, double best) {
  return best > 0 ? fmt::format("+{:.1f}%", 100 * (value / best - 1)) : "";
}

void print_table(const std::vector<Plan>& plans, const Plan& best, Goal goal) {
  double least_hours = cpu_hours(best);
  Duration least_length = makespan(best);
  for (const Plan& plan : plans) {
    if (!plan.feasible) continue;
    least_hours = std::min(least_hours, cpu_hours(plan));
    least_length = std::min(least_length, makespan(plan));
  }
  Table table({"algorithm", "turn-around", "", "CPU-hours", "", "processors", ""});
  for (const Plan& plan : plans) {
    if (!plan.feasible) {
      table.add({plan.algorithm, plan.deadline ? "too late" : "no plan"});
      continue;
    }
    table.add({plan.algorithm, format_duration(makespan(plan)),
               percent_above(to_seconds(makespan(plan)), to_seconds(least_length)),
               io::hours_text(cpu_hours(plan)), percent_above(cpu_hours(plan), least_hours),
               std::to_string(peak_procs(plan)),
               &plan != &best           ? ""
               : goal == Goal::deadline ? "<- cheapest"
                                        : "<- earliest"});
  }
  say("{}", table.text());
}

// When all are too late.
void print_earliest(const Plan& earliest) {
  if (earliest.feasible) say("\nearliest  {}\n", describe_earliest(earliest));
}

// `more` has the fields between the best plan's name and the plans.
void print_json(const Problem& problem, const Plan& best, Json more, Json plans) {
  Json document = {{"now", to_seconds(problem.now())},
                   {"deadline", nullptr},
                   {"best", best.feasible ? best.algorithm : ""}};
  if (problem.deadline()) document["deadline"] = to_seconds(*problem.deadline());
  document.update(more);
  document["plans"] = std::move(plans);
  say_exact(document.dump(1) + "\n");
}

Json plans_json(const std::vector<Plan>& plans) {
  Json rows = Json::array();
  for (const Plan& plan : plans) {
    Json& row = rows.emplace_back(plan_facts_json(plan));
    if (plan.feasible && plan.lambda) row["lambda"] = *plan.lambda;
  }
  return rows;
}

// Several workflows: three metrics, the best of each marked.
Exit compare_fairly(PlanningContext& context, bool json) {
  const Problem& problem = context.problem();
  note_left_out(problem);
  auto plans = plan_all(context);
  if (can_search(problem) && problem.task_count() <= planning::kManyTasks) {
    plans.push_back(plan_by(*find_planner("DOVETAIL_FAIR"), context, problem.deadline()));
  }
  const Plan& fairest = plans[fairest_plan(problem, plans)];
  const FairTable table(problem, plans);
  if (json) {
    print_json(problem, fairest, Json::object({{"best_of", table.best_json()}}),
               table.plans_json());
  } else {
    say("{}", table.text(""));
    if (fairest.feasible) say("\n* best in its column\n");
    if (!fairest.feasible && problem.deadline()) print_earliest(earliest_fair_plan(context));
  }
  return fairest.feasible ? Exit::fine : Exit::no;
}

// The plan at a deadline that is not its goal; infeasible when it is late.
Plan in_time(Plan plan, std::optional<Time> deadline) {
  plan.deadline = deadline;
  if (misses_deadline(plan)) plan.feasible = false;
  return plan;
}

Exit run(const CompareArguments& arguments) {
  const Problem problem = arguments.problem.load(arguments.goal);
  require_planner(problem);
  PlanningContext context(problem, arguments.planner.options());
  if (problem.goal() == Goal::fair) return compare_fairly(context, arguments.json);
  auto plans = plan_all(context);
  if (can_search(problem)) {
    const bool is_quick = problem.task_count() <= planning::kManyTasks;
    const auto known = is_quick ? planning::known_for_goal(context).plans() : plans;
    const bool by_deadline = problem.goal() == Goal::deadline;
    Plan found = plan_from(context, by_deadline ? problem.deadline() : std::nullopt, known);
    plans.push_back(in_time(std::move(found), problem.deadline()));
  }
  const Plan& best = plans[best_plan(plans, problem.goal())];
  if (arguments.json) {
    print_json(problem, best, Json::object(), plans_json(plans));
  } else {
    print_table(plans, best, problem.goal());
    if (!best.feasible && problem.deadline()) {
      print_earliest(planning::earliest_plan(context, planning::known_plans(context)));
    }
  }
  return best.feasible ? Exit::fine : Exit::no;
}

}  // namespace

void add_compare(CLI::App& program, Exit& status) {
  const auto [command, a] =
      add_verb<CompareArguments>(program, status, "compare",
                                 "compare the plans of all algorithms that fit, in one table", run);
  a.problem.add_workflows(command, "WORKFLOW");
  a.problem.add_cluster(command);
  a.goal.add(command);
  a.planner.add(command);
  command.add_flag("--json", a.json, "print JSON");
  command.footer(
      "Example: dovetail compare flow.yaml -c cluster.yaml\n"
      "         dovetail compare a.yaml b.yaml c.yaml -c cluster.yaml --goal fair");
}

}  // namespace dovetail::cli
