// dovetail whatif: what would change if a resource joined or left, or processors or reservations
// came or went. Nothing is done; every question is planned by itself.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "dovetail/error.hpp"
#include "dovetail/metrics.hpp"
#include "io/text.hpp"
#include "moment.hpp"

namespace dovetail::cli {

namespace {

struct Arguments {
  ProblemArguments problem;
  GoalArguments goal;
  std::string algorithm;
  std::vector<std::pair<std::string, std::string>> questions;  // option and value, as typed
  bool json = false;
};

struct Answer {
  std::string question;  // empty: as it is
  Plan plan;
};

[[noreturn]] void refuse(const std::string& option, const std::string& expected,
                         const std::string& value) {
  throw InputError("--" + option + ": expected " + expected + ", found " + io::quote(value));
}

// "r4@15" and "16@3600-7200": what stands before and behind the @.
std::pair<std::string, std::string> split_at(const std::string& text, char separator) {
  const auto place = text.rfind(separator);
  if (place == std::string::npos) return {text, {}};
  return {text.substr(0, place), text.substr(place + 1)};
}

using Clusters = std::vector<Cluster>;

Cluster* find(Clusters& clusters, const std::string& name) {
  const auto found = std::ranges::find(clusters, name, &Cluster::name);
  return found == clusters.end() ? nullptr : &*found;
}

void join(const Platform& platform, Clusters& clusters, const std::string& value) {
  const auto [name, when] = split_at(value, '@');
  if (name.empty() || when.empty()) refuse("join", "a resource and when, such as r4@15", value);
  if (Cluster* known = find(clusters, name)) {
    known->joins = parse_time(platform, "--join", when);
  } else {
    clusters.push_back(
        {.name = name, .processors = 1, .joins = parse_time(platform, "--join", when)});
  }
}

void leave(const Platform& platform, Clusters& clusters, const std::string& value) {
  const auto [name, when] = split_at(value, '@');
  if (name.empty() || when.empty()) refuse("leave", "a resource and when, such as r2@40", value);
  Cluster* known = find(clusters, name);
  if (known == nullptr) {
    throw InputError("--leave: there is no cluster " + io::quote(name) + " that could leave");
  }
  known->leaves = parse_time(platform, "--leave", when);
}

// The cluster that a question without a name is about.
Cluster& only(Clusters& clusters, const std::string& option) {
  if (clusters.size() == 1) return clusters.front();
  throw InputError("--" + option + " is for one cluster, and there are " +
                   std::to_string(clusters.size()));
}

void processors(const Platform& /*platform*/, Clusters& clusters, const std::string& value) {
  const auto change = io::parse_number(value.starts_with('+') ? value.substr(1) : value);
  Cluster& cluster = only(clusters, "processors");
  const bool is_signed = value.starts_with('+') || value.starts_with('-');
  if (!change || *change != std::floor(*change) || std::abs(*change) > kMaxProcessors) {
    refuse("processors", "a number of processors, such as +32, -8 or 128", value);
  }
  cluster.processors = static_cast<Count>(*change) + (is_signed ? cluster.processors : 0);
  if (cluster.processors < 1) throw InputError("--processors " + value + " would leave none");
}

void reserve(const Platform& platform, Clusters& clusters, const std::string& value) {
  const auto [count, window] = split_at(value, '@');
  const auto [begin, end] = split_at(window, '-');
  const auto procs = io::parse_number(count);
  const bool is_complete = !begin.empty() && !end.empty();
  if (!is_complete || !procs || *procs < 1 || *procs > kMaxProcessors) {
    refuse("reserve", "processors and from when to when, such as 16@3600-7200", value);
  }
  const Time start = parse_time(platform, "--reserve", begin);
  const Time until = parse_time(platform, "--reserve", end);
  only(clusters, "reserve").reservations.push_back({start, until, static_cast<Count>(*procs)});
}

struct Change {
  std::string_view option;
  std::string_view help;
  void (*apply)(const Platform& platform, Clusters& clusters, const std::string& value);
};

constexpr Change kChanges[] = {
    {"join", "a resource joins: NAME@T, such as r4@15", join},
    {"leave", "a resource leaves without warning: NAME@T", leave},
    {"processors", "the cluster had so many more, fewer or altogether: +32, -8, 128", processors},
    {"reserve", "somebody reserves processors: N@START-END, such as 16@3600-7200", reserve},
};

Plan best_of(const Problem& problem, const std::string& algorithm) {
  if (!algorithm.empty()) return plan(choose_planner(algorithm, problem), problem);
  require_planner(problem);
  auto plans = plan_all(problem);
  return std::move(plans[best_plan(plans, problem.goal())]);
}

Answer answer(const Problem& problem, const Arguments& arguments, const std::string& option,
              const std::string& value) {
  const Platform& platform = problem.platform();
  Clusters clusters(platform.clusters().begin(), platform.clusters().end());
  for (const Change& change : kChanges) {
    if (change.option == option) change.apply(platform, clusters, value);
  }
  const auto workflows = problem.workflows();
  const Problem changed({workflows.begin(), workflows.end()},
                        Platform(platform.now(), std::move(clusters), platform.wall_clock()),
                        problem.goal(), problem.deadline());
  return {option + " " + value, best_of(changed, arguments.algorithm)};
}

// "-4s (5.0 %)" against the plan as things are.
std::string change_text(const Plan& plan, const Plan& now) {
  const Duration change = makespan(plan) - makespan(now);
  if (change == 0) return "same";
  return fmt::format("{}{} ({:.1f} %)", change < 0 ? "-" : "+", format_duration(std::abs(change)),
                     100.0 * static_cast<double>(std::abs(change)) /
                         static_cast<double>(std::max<Duration>(makespan(now), 1)));
}

void print_table(const Problem& problem, const std::vector<Answer>& answers) {
  const Plan& now = answers.front().plan;
  const bool has_deadline = problem.deadline().has_value();
  std::vector<std::string> header{"what if", "algorithm", "turn-around", "change", "CPU-hours"};
  if (has_deadline) header.push_back("deadline");
  Table table(header);
  for (const Answer& answer : answers) {
    const std::string question = answer.question.empty() ? "(as it is)" : answer.question;
    const Plan& plan = answer.plan;
    if (!plan.feasible) {
      table.add({question, plan.algorithm, has_deadline ? "too late" : "no plan"});
      continue;
    }
    std::vector<std::string> row{
        question, plan.algorithm, format_duration(makespan(plan)),
        answer.question.empty() || !now.feasible ? "" : change_text(plan, now),
        fmt::format("{:.1f}", cpu_hours(plan))};
    if (has_deadline) row.push_back("met");
    table.add(std::move(row));
  }
  fmt::print("{}", table.text(2));
}

nlohmann::ordered_json json_of(const Plan& plan) {
  nlohmann::ordered_json row = {{"algorithm", plan.algorithm}, {"feasible", plan.feasible}};
  if (!plan.feasible) return row;
  row["makespan"] = to_seconds(makespan(plan));
  row["cpu_hours"] = cpu_hours(plan);
  return row;
}

void print_json(const Problem& problem, const std::vector<Answer>& answers) {
  const Plan& now = answers.front().plan;
  nlohmann::ordered_json document = {{"now", to_seconds(problem.now())}, {"deadline", nullptr}};
  if (problem.deadline()) document["deadline"] = to_seconds(*problem.deadline());
  document["current"] = json_of(now);
  document["questions"] = nlohmann::ordered_json::array();
  for (std::size_t i = 1; i < answers.size(); ++i) {
    nlohmann::ordered_json row = {{"question", answers[i].question}};
    row.update(json_of(answers[i].plan));
    if (now.feasible && answers[i].plan.feasible) {
      row["change"] = to_seconds(makespan(answers[i].plan) - makespan(now));
    }
    document["questions"].push_back(std::move(row));
  }
  fmt::print("{}\n", document.dump(1));
}

Exit run(const Arguments& arguments) {
  if (arguments.questions.empty()) {
    throw InputError("there is no question; ask with --join, --leave, --processors or --reserve");
  }
  const Problem problem = arguments.problem.load(arguments.goal);
  std::vector<Answer> answers{{"", best_of(problem, arguments.algorithm)}};
  for (const auto& [option, value] : arguments.questions) {
    answers.push_back(answer(problem, arguments, option, value));
  }
  arguments.json ? print_json(problem, answers) : print_table(problem, answers);
  return Exit::fine;
}

}  // namespace

void add_whatif(CLI::App& program, Exit& status) {
  CLI::App* command =
      program.add_subcommand("whatif", "what would change, and nothing is done; a row a question");
  auto arguments = std::make_shared<Arguments>();
  arguments->problem.add_workflows(*command, "WORKFLOW");
  arguments->problem.add_cluster(*command);
  arguments->goal.add(*command);
  command->add_option("--algorithm", arguments->algorithm, "default: the best for the goal");
  for (const Change& change : kChanges) {
    const std::string option(change.option);
    command
        ->add_option_function<std::vector<std::string>>(
            "--" + option,
            [arguments, option](const std::vector<std::string>& values) {
              for (const std::string& value : values) {
                arguments->questions.emplace_back(option, value);
              }
            },
            std::string(change.help) + "; may be repeated")
        ->take_all();
  }
  command->add_flag("--json", arguments->json, "as JSON");
  command->footer("Example: dovetail whatif flow.yaml -c pool.yaml --join r4@15 --leave r2@40");
  command->callback([arguments, &status] { status = run(*arguments); });
}

}  // namespace dovetail::cli
