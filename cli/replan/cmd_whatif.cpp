// dovetail whatif: what would change if a resource joined, left or slowed down, if processors or
// reservations came or went, or a task was late. Nothing is done; every question stands by itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/plan/describe.hpp"
#include "cli/replan/whatif_questions.hpp"
#include "dovetail/error.hpp"
#include "dovetail/metrics.hpp"
#include "io/text.hpp"
#include "planners/replan/simulate.hpp"

namespace dovetail::cli {

namespace {

struct WhatIfQuestion {
  const Change* change;
  std::string value;  // as typed
};

struct WhatIfArguments {
  ProblemArguments problem;
  GoalArguments goal;
  PlannerArguments planner;
  std::string algorithm;
  double stability = planning::kStability;
  std::vector<std::string> values = {};  // of all questions, for the parser
  bool json = false;
};

struct WhatIfAnswer {
  std::string question = {};  // empty: as it is
  Plan plan = {};
  double hours = 0;                           // with runs that were lost
  std::optional<Evaluation> evaluation = {};  // of what happens on the way
};

// What is executed when these events happen. One way for all rows, so that they can be compared.
WhatIfAnswer run_with(const Problem& problem, const WhatIfArguments& arguments,
                      const std::vector<Event>& events) {
  planning::SimulateOptions options{
      .planning = arguments.planner.options(), .band = 0, .stability = arguments.stability};
  if (arguments.algorithm.empty()) {
    require_planner(problem);
  } else {
    options.planner = &choose_planner(arguments.algorithm, problem);
    require_deadline_for(*options.planner, problem);
  }
  const std::string unfit = planning::simulate_unfit(problem, options);
  if (!unfit.empty()) throw InputError("cannot answer this: " + unfit);
  planning::Simulation result = planning::simulate(problem, events, options);
  const double hours = cpu_hours(result);
  return {.plan = std::move(result.after), .hours = hours};
}

// The same workflows and goal on a platform that is changed as the question says.
Problem changed(const Problem& problem, const Change& change, const std::string& value) {
  const Platform& platform = problem.platform();
  std::vector<Cluster> clusters(platform.clusters().begin(), platform.clusters().end());
  change.apply(problem, clusters, value);
  const auto workflows = problem.workflows();
  return Problem({workflows.begin(), workflows.end()},
                 Platform(platform.now(), std::move(clusters), platform.wall_clock()),
                 problem.goal(), problem.deadline());
}

WhatIfAnswer answer(const Problem& problem, const WhatIfArguments& arguments,
                    const WhatIfQuestion& question) {
  const Change& change = *question.change;
  const std::string words = std::string(change.option) + " " + question.value;
  WhatIfAnswer answer;
  Time moment = kBeginning;
  if (change.happen == nullptr) {
    answer = run_with(changed(problem, change, question.value), arguments, {});
    if (change.is_moment) moment = moment_of(problem.platform(), change, question.value);
  } else {
    const Event event = change.happen(problem, question.value);
    moment = event.time;
    answer = run_with(problem, arguments, {event});
  }
  answer.question = words;
  for (const Evaluation& evaluation : answer.plan.history) {
    if (evaluation.time == moment && evaluation.event != "start") answer.evaluation = evaluation;
  }
  return answer;
}

// What cannot be asked is said with the question.
WhatIfAnswer answer_or_explain(const Problem& problem, const WhatIfArguments& arguments,
                               const WhatIfQuestion& question) {
  try {
    return answer(problem, arguments, question);
  } catch (const InputError& error) {
    const std::string what = error.what();
    if (what.starts_with("--")) throw;
    throw InputError(fmt::format("--{} {}: {}", question.change->option, question.value, what));
  }
}

// "-4s (5.0 %)" against the plan as things are.
std::string change_text(const Plan& plan, const Plan& now) {
  const Duration change = makespan(plan) - makespan(now);
  if (change == 0) return "same";
  return fmt::format("{}{} ({:.1f} %)", change < 0 ? "-" : "+", format_duration(std::abs(change)),
                     100.0 * static_cast<double>(std::abs(change)) /
                         static_cast<double>(std::max<Duration>(makespan(now), 1)));
}

// What would have become of the plan in force.
std::string old_plan_text(const WhatIfAnswer& answer) {
  if (!answer.evaluation) return "";
  const auto& end = answer.evaluation->current;
  return end ? format_duration(*end - answer.plan.now) : "impossible";
}

// What was planned instead, and not worth its moves.
bool has_declined(const WhatIfAnswer& answer) {
  if (!answer.evaluation || answer.evaluation->adopted) return false;
  const Evaluation& row = *answer.evaluation;
  return row.current && row.candidate && *row.current != *row.candidate;
}

std::string declined_text(const WhatIfAnswer& answer) {
  if (!has_declined(answer)) return "";
  return format_duration(*answer.evaluation->candidate - answer.plan.now);
}

void print_table(const Problem& problem, const std::vector<WhatIfAnswer>& answers) {
  const Plan& now = answers.front().plan;
  const bool has_old_plans = std::ranges::any_of(
      answers, [](const WhatIfAnswer& row) { return row.evaluation.has_value(); });
  std::vector<std::string> header{"what if", "algorithm", "turn-around", "change", "CPU-hours"};
  if (problem.deadline()) header.push_back("deadline");
  if (has_old_plans) header.push_back("old plan kept");
  const bool declines = std::ranges::any_of(answers, has_declined);
  if (declines) header.push_back("declined plan");
  Table table(header);
  for (const WhatIfAnswer& answer : answers) {
    const Plan& plan = answer.plan;
    std::vector<std::string> row{answer.question.empty() ? "(as it is)" : answer.question,
                                 plan.algorithm, "no plan", "", ""};
    if (plan.feasible) {
      row[2] = format_duration(makespan(plan));
      row[3] = answer.question.empty() || !now.feasible ? "" : change_text(plan, now);
      row[4] = io::hours_text(answer.hours);
    }
    if (problem.deadline())
      row.push_back(!plan.feasible ? "" : misses_deadline(plan) ? "missed" : "met");
    if (has_old_plans) row.push_back(old_plan_text(answer));
    if (declines) row.push_back(declined_text(answer));
    table.add(std::move(row));
  }
  say("{}", table.text(2));
  if (!now.feasible) say("\n{}\n", kNothingToBeginWith);
}

nlohmann::ordered_json json_of(const WhatIfAnswer& answer) {
  const Plan& plan = answer.plan;
  nlohmann::ordered_json row = {{"algorithm", plan.algorithm}, {"feasible", plan.feasible}};
  if (!plan.feasible) return row;
  if (plan.deadline) row["meets_deadline"] = !misses_deadline(plan);
  row["makespan"] = to_seconds(makespan(plan));
  row["cpu_hours"] = answer.hours;
  return row;
}

void add_evaluation(nlohmann::ordered_json& row, const Evaluation& evaluation) {
  row["survives"] = evaluation.current.has_value();
  if (evaluation.current) row["kept"] = to_seconds(*evaluation.current);
  if (evaluation.candidate) row["candidate"] = to_seconds(*evaluation.candidate);
  if (evaluation.moved) row["moved"] = evaluation.adopted ? *evaluation.moved : 0;
}

void print_json(const Problem& problem, const std::vector<WhatIfAnswer>& answers) {
  const Plan& now = answers.front().plan;
  nlohmann::ordered_json document = {{"now", to_seconds(problem.now())}, {"deadline", nullptr}};
  if (problem.deadline()) document["deadline"] = to_seconds(*problem.deadline());
  document["current"] = json_of(answers.front());
  document["questions"] = nlohmann::ordered_json::array();
  for (std::size_t i = 1; i < answers.size(); ++i) {
    nlohmann::ordered_json row = {{"question", answers[i].question}};
    row.update(json_of(answers[i]));
    if (now.feasible && answers[i].plan.feasible) {
      row["change"] = to_seconds(makespan(answers[i].plan) - makespan(now));
    }
    if (answers[i].evaluation) add_evaluation(row, *answers[i].evaluation);
    document["questions"].push_back(std::move(row));
  }
  say_exact(document.dump(1) + "\n");
}

std::string all_options() {
  std::string options;
  for (const Change& change : changes()) {
    options += (options.empty() ? "--" : ", --") + std::string(change.option);
  }
  return options;
}

// The questions as they were typed, whatever their options.
std::vector<WhatIfQuestion> in_typed_order(const CLI::App& command) {
  std::vector<WhatIfQuestion> questions;
  std::map<const CLI::Option*, std::size_t> seen;
  for (const CLI::Option* option : command.parse_order()) {
    for (const Change& change : changes()) {
      if (!option->check_lname(std::string(change.option))) continue;
      questions.push_back({&change, option->results().at(seen[option]++)});
    }
  }
  return questions;
}

Exit run(const CLI::App& command, const WhatIfArguments& arguments) {
  const std::vector<WhatIfQuestion> questions = in_typed_order(command);
  if (questions.empty()) {
    throw InputError("there is no question; ask with " + all_options());
  }
  if (arguments.planner.search.time_limit) {
    throw InputError(
        "--time-limit: searches that a clock cuts short cannot be compared; give --effort or "
        "--trials");
  }
  const Problem problem = planning::by_processors(arguments.problem.load(arguments.goal));
  arguments.planner.search.forbid_in_events(problem, arguments.algorithm);
  std::vector<WhatIfAnswer> answers{run_with(problem, arguments, {})};
  for (const WhatIfQuestion& question : questions) {
    answers.push_back(answer_or_explain(problem, arguments, question));
  }
  arguments.json ? print_json(problem, answers) : print_table(problem, answers);
  return Exit::fine;
}

}  // namespace

void add_whatif(CLI::App& program, Exit& status) {
  const auto [command, a] = add_verb<WhatIfArguments>(
      program, status, "whatif",
      "tell how a plan would change if something else did; changes nothing itself", run);
  a.problem.add_workflows(command, "WORKFLOW");
  a.problem.add_cluster(command);
  a.goal.add(command);
  command.add_option("--algorithm", a.algorithm,
                     "plan by this algorithm; default: the best for the goal");
  add_stability(command, a.stability);
  a.planner.add(command);
  // Refused with a reason, so not offered.
  command.get_option("--time-limit")->group("");
  a.planner.search.add_budget(command);
  for (const Change& change : changes()) {
    const std::string help = std::string(change.help) + "; may be repeated";
    command.add_option("--" + std::string(change.option), a.values, help)
        ->take_all()
        ->allow_extra_args(false);
  }
  command.add_flag("--json", a.json, "print JSON");
  command.footer("Example: dovetail whatif flow.yaml -c pool.yaml --join r4@15 --leave r2@40");
}

}  // namespace dovetail::cli
