// dovetail check: proves a plan valid, or says what it breaks.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "dovetail/check.hpp"
#include "dovetail/io.hpp"
#include "draw/proof_text.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

namespace {

struct CheckArguments {
  std::string plan;
  ProblemArguments problem;
  GoalArguments goal;
  bool json = false;
};

// In the order of the plan, by which its certificate counts.
std::vector<Workflow> in_order_of(const PlanRecord& record, std::span<const Workflow> workflows) {
  std::vector<Workflow> ordered(workflows.begin(), workflows.end());
  std::ranges::stable_sort(ordered, {}, [&](const Workflow& workflow) {
    return std::ranges::find(record.workflows, workflow.name(), &WorkflowRecord::name) -
           record.workflows.begin();
  });
  return ordered;
}

// A plan is judged at the moment for which it was made, unless --now says otherwise.
Problem load_for(const PlanRecord& record, const CheckArguments& arguments) {
  const Problem problem = arguments.problem.load(arguments.goal);
  const bool is_asked = !arguments.problem.now.empty();
  return Problem(in_order_of(record, problem.workflows()),
                 is_asked ? problem.platform() : problem.platform().at(record.now), problem.goal(),
                 problem.deadline());
}

// More would not be read; the number of the others is printed.
constexpr std::size_t kShownViolations = 20;

Exit run(const CheckArguments& arguments) {
  const PlanRecord record = read_plan(arguments.plan);
  const Problem problem = load_for(record, arguments);
  auto violations = check(problem, record, std::numeric_limits<std::size_t>::max());
  const bool valid = violations.empty() && record.feasible;
  const std::size_t more = violations.size() - std::min(violations.size(), kShownViolations);
  violations.resize(violations.size() - more);
  if (arguments.json) {
    nlohmann::ordered_json document = {{"valid", valid}, {"violations", violations}};
    if (more > 0) document["more"] = more;
    say_exact(document.dump(1) + "\n");
  } else if (valid) {
    const std::string proof = draw::proof_text(record);
    say("{}: valid: {}, ends {} after now, {} CPU-hours{}\n", arguments.plan,
        counted(record.tasks.size(), "task"), format_duration(record.makespan),
        io::hours_text(record.cpu_hours), proof.empty() ? "" : ", proved " + proof);
  } else if (violations.empty()) {
    say("{}: says itself that no plan was found\n", arguments.plan);
  } else {
    for (const std::string& violation : violations) {
      say("{}: {}\n", arguments.plan, violation);
    }
    if (more > 0) say("{}: and {} more\n", arguments.plan, more);
  }
  return valid ? Exit::fine : Exit::no;
}

}  // namespace

void add_check(CLI::App& program, Exit& status) {
  const auto [command, a] = add_verb<CheckArguments>(
      program, status, "check", "check whether a plan is valid, and say what is wrong", run);
  command.add_option("PLAN", a.plan, "check this plan file, as dovetail plan writes it")
      ->required();
  a.problem.add_workflows(command, "-w,--workflow");
  a.problem.add_cluster(command);
  a.goal.add_deadline(command);
  command.add_flag("--json", a.json, "print JSON");
  command.footer("Example: dovetail check plan.json -w flow.yaml -c cluster.yaml");
}

}  // namespace dovetail::cli
