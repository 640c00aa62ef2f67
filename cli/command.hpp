// What the verbs of the command line share: how each adds itself, how inputs are named and loaded,
// how results are printed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "cli/plan/search_options.hpp"
#include "dovetail/io.hpp"
#include "dovetail/planner.hpp"
#include "dovetail/problem.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

// Both print to standard error: a line that begins with "warning:", and lines as they are.
void print_warning(const std::string& what);
void print_notes(const std::vector<std::string>& notes);

// 0 fine, 1 the answer is no, 2 bad use or input, 3 an outside system failed.
enum class Exit { fine = 0, no = 1, bad_input = 2, outside = 3 };

// Each verb adds a subcommand to the program; its callback sets the exit status.
using AddVerb = void(CLI::App& program, Exit& status);
AddVerb add_plan, add_compare, add_frontier, add_check, add_show, add_generate, add_convert,
    add_algorithms, add_study, add_replay, add_queue, add_ensemble, add_whatif, add_simulate,
    add_run, add_resume, add_runs, add_status, add_logs, add_cancel, add_resources, add_explain,
    add_history, add_pilot, add_keys, add_agent, add_daemon;

// A subcommand and what its options fill in; both live as long as the program.
template <typename Arguments>
struct Verb {
  CLI::App& command;
  Arguments& arguments;
};

// Adds a subcommand that runs run(arguments), or run(command, arguments), and sets the status.
template <typename Arguments, typename Run>
Verb<Arguments> add_verb(CLI::App& program, Exit& status, const std::string& name,
                         const std::string& help, Run run) {
  CLI::App* command = program.add_subcommand(name, help);
  auto arguments = std::make_shared<Arguments>();
  command->callback([command, arguments, run, &status] {
    if constexpr (std::is_invocable_v<Run, const CLI::App&, const Arguments&>) {
      status = run(*command, *arguments);
    } else {
      status = run(*arguments);
    }
  });
  return {*command, *arguments};
}

// For files that are compiled together: of several functions called run, the one that fits.
template <typename Arguments>
Verb<Arguments> add_verb(CLI::App& program, Exit& status, const std::string& name,
                         const std::string& help, Exit (*run)(const Arguments&)) {
  return add_verb<Arguments, decltype(run)>(program, status, name, help, run);
}
template <typename Arguments>
Verb<Arguments> add_verb(CLI::App& program, Exit& status, const std::string& name,
                         const std::string& help, Exit (*run)(const CLI::App&, const Arguments&)) {
  return add_verb<Arguments, decltype(run)>(program, status, name, help, run);
}

// The options that say what a plan is for. A deadline makes it the goal, unless another is named.
struct GoalArguments {
  std::optional<Goal> goal = {};
  std::optional<std::string> deadline = {};

  void add(CLI::App& command);
  void add_deadline(CLI::App& command);
};

// The options that name a problem, the same for every verb that plans.
struct ProblemArguments {
  std::vector<std::string> workflows;
  std::string cluster;
  std::optional<Platform> known_platform;  // read already, instead of what `cluster` names
  Count processors = 0;                    // that may be used of one cluster; 0: all
  std::string now;                         // empty: what the cluster file says
  std::optional<double> default_seconds;   // for imported tasks without a run time

  void add_workflows(CLI::App& command, const std::string& name);
  void add_cluster(CLI::App& command);

  // Every file that is read.
  std::vector<std::string> files() const;

  // Reads the files; warnings go to standard error. Tasks without a time have that which earlier
  // runs took; a task that was never run is an error.
  Problem load(const GoalArguments& goal = {}) const;
  Problem load(const GoalArguments& goal, const WorkflowReadOptions& options) const;
};

// Options that change how planners work.
struct PlannerArguments {
  CpaStop cpa_stop = CpaStop::improved;
  StageIn stage_in = StageIn::parallel;
  SearchArguments search;

  void add(CLI::App& command);
  PlannerOptions options() const {
    return {.cpa_stop = cpa_stop, .stage_in = stage_in, .search = search.limits()};
  }
};

// Adds an option whose value is one of the named choices.
template <typename T>
CLI::Option* add_choice(CLI::App& command, const std::string& name, T& value,
                        const std::vector<std::pair<std::string, T>>& choices,
                        const std::string& help) {
  const auto choose = [name, choices, &value](const std::string& word) {
    std::string known;
    for (const auto& [text, choice] : choices) {
      known += (known.empty() ? "" : " or ") + text;
      if (text != word) continue;
      value = choice;
      return;
    }
    throw CLI::ValidationError(name, "expected " + known + ", found \"" + word + "\"");
  };
  return command.add_option_function<std::string>(name, choose, help);
}

// What a new plan has to gain for the tasks that it moves; `share` is 0 to 1.
void add_stability(CLI::App& command, double& share);

// What is wrong with a whole number from 0 to 2^64 - 1; empty: nothing. The library would take
// numbers that do not fit for the largest one.
std::string whole_number_problem(const std::string& text);

// The same for whole numbers from `low` to `high`, as a check of an option.
std::function<std::string(const std::string&)> whole_number_from(std::uint64_t low,
                                                                 std::uint64_t high);

// Throws InputError when a file to be written is one that is read, or is named twice, and
// ExecutionError when it cannot be written at all. Call it before the long work begins.
void protect_inputs(const std::vector<std::string>& inputs,
                    const std::vector<std::string>& outputs);

// Throws InputError unless the name is empty, "-", or ends in .html or .svg.
void require_picture_name(const std::string& option, const std::string& name);

// The planner of that name; throws InputError that lists the known ones, or says why it cannot
// plan the problem.
const PlannerInfo& choose_planner(const std::string& name, const Problem& problem);

// Says on standard error what the planner does not see, if anything.
void warn_if_blind(const PlannerInfo& planner, const Problem& problem);

// Throws InputError when the planner plans for a deadline and the problem has none.
void require_deadline_for(const PlannerInfo& planner, const Problem& problem);

// Throws InputError when a workflow becomes ready later, for verbs that cannot wait for it.
void require_ready(std::span<const Workflow> workflows, const std::string& verb);

// Throws InputError when no planner at all can plan the problem.
void require_planner(const Problem& problem);

// A table with aligned columns; numbers to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  // The cells may quote anything: ends of lines and the like do not break the table.
  void add(std::vector<std::string> row);

  // `left` columns from the left are text, the others numbers.
  std::string text(std::size_t left = 1) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Whether to draw with colours on standard output: a terminal, and NO_COLOR is not set.
bool colourful();

// The width of the terminal, or 100 when there is none.
int terminal_columns();

using io::counted;

}  // namespace dovetail::cli
