#include "cli/command.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "batch/table.hpp"
#include "cli/deadline_option.hpp"
#include "cli/run/batch_run.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/formats/table.hpp"
#include "io/text.hpp"
#include "planners/list/cluster_view.hpp"
#include "run/history/measured_times.hpp"

namespace dovetail::cli {

namespace {

std::optional<std::uint64_t> parse_whole(const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return value;
}

// Upper and lower case are the same, except that what is shown is as published.
const PlannerInfo* find_in_any_case(const std::string& name) {
  for (const PlannerInfo& row : planners()) {
    if (io::upper_case(row.name) == io::upper_case(name)) return &row;
  }
  return find_planner(io::upper_case(name));
}

[[noreturn]] void refuse_algorithm(const std::string& name) {
  io::NearestWord nearest(name);
  for (const char* alias : {"BD_ALL", "BD_HALF", "BD_CPA", "BD_CPAR"}) nearest.offer(alias);
  std::string known;
  for (const PlannerInfo& row : planners()) {
    nearest.offer(row.name);
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  const std::string guess = nearest.suggestion();
  throw InputError("--algorithm: there is no " + io::quote(name) +
                   (guess.empty() ? "; the algorithms are " + known : guess));
}

// What to do when several clusters cannot be shared fairly, as the end of a sentence.
std::string other_than_fair(const Problem& problem) {
  const auto clusters = problem.platform().clusters();
  if (clusters.size() == 1) return {};
  const bool is_pool =
      std::ranges::all_of(clusters, [](const Cluster& c) { return c.processors == 1; });
  return is_pool ? "; for a pool of resources take --algorithm HEFT or AHEFT, without --goal fair"
                 : "; give a cluster file that has one of them";
}

}  // namespace

void GoalArguments::add(CLI::App& command) {
  add_choice<std::optional<Goal>>(
      command, "--goal", goal,
      {{"turnaround", Goal::turnaround}, {"deadline", Goal::deadline}, {"fair", Goal::fair}},
      "choose the goal: turnaround (default) ends as early as possible, deadline ends in time with "
      "few CPU-hours, fair makes no workflow wait out of proportion");
  add_deadline(command);
}

void GoalArguments::add_deadline(CLI::App& command) {
  command.add_option("--deadline", deadline,
                     "end by this time: seconds, a duration from now such as 6h40m, or a date");
}

void ProblemArguments::add_workflows(CLI::App& command, const std::string& name) {
  command
      .add_option(name, workflows,
                  "read these workflow files: " + io::titles_to_read() + "; - is standard input")
      ->required();
  command.add_option("--default-time", default_seconds,
                     "assume this many seconds for imported tasks without a run time");
}

void ProblemArguments::add_cluster(CLI::App& command) {
  command
      .add_option(
          "-c,--cluster", cluster,
          "use this cluster: a cluster file, a number of processors, or local for this machine")
      ->required();
  command.add_option("--now", now, "plan as if it were this moment: seconds, duration or date");
}

void print_warning(const std::string& what) { tell("warning: {}\n", what); }

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) tell("{}\n", note);
}

Problem ProblemArguments::load(const GoalArguments& goal) const {
  run::MeasuredTimes measured(run::MeasuredTimes::Unknown::is_error, run::machine_name(),
                              print_warning);
  const Problem problem =
      load(goal, {.default_seconds = default_seconds, .missing_time = std::ref(measured)});
  print_notes(measured.notes());
  return problem;
}

Problem ProblemArguments::load(const GoalArguments& goal,
                               const WorkflowReadOptions& options) const {
  if (default_seconds && !(*default_seconds >= 0 && *default_seconds <= kMaxSeconds)) {
    throw InputError("--default-time: expected 0 to 1e10 seconds");
  }
  if (goal.goal == Goal::deadline && !goal.deadline) {
    throw InputError("--goal deadline: needs a deadline, such as --deadline 6h40m");
  }
  std::vector<Workflow> loaded;
  std::vector<std::string> warnings;
  for (const std::string& path : workflows) {
    loaded.push_back(read_workflow(path, options, &warnings));
  }
  for (const std::string& warning : warnings) print_warning(warning);
  Platform platform = known_platform                ? *known_platform
                      : batch::find_system(cluster) ? *live_cluster(cluster, "")
                                                    : read_platform(cluster);
  if (!now.empty()) platform = apply_now_option(platform, now, cluster);
  if (processors > 0 && platform.clusters().size() == 1) {
    platform = Platform(platform.now(), {planning::limited_cluster(platform, processors)},
                        platform.wall_clock());
  }
  std::optional<Time> deadline;
  if (goal.deadline) deadline = parse_deadline_option(platform, *goal.deadline);
  try {
    return Problem(std::move(loaded), platform,
                   goal.goal.value_or(deadline ? Goal::deadline : Goal::turnaround), deadline);
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("{} on {}: {}", fmt::join(workflows, ", "), cluster, error.what()));
  }
}

void PlannerArguments::add(CLI::App& command) {
  add_choice<CpaStop>(command, "--cpa-stop", cpa_stop,
                      {{"improved", CpaStop::improved}, {"classic", CpaStop::classic}},
                      "choose when CPA stops adding processors: improved (default) or classic");
  add_choice<StageIn>(
      command, "--stage-in", stage_in,
      {{"parallel", StageIn::parallel},
       {"sum", StageIn::sum},
       {"compute", StageIn::compute},
       {"idle", StageIn::idle},
       {"blocking", StageIn::blocking}},
      "choose how MINMIN moves files: parallel (default), sum, compute, idle or blocking");
  search.add(command);
}

void add_stability(CLI::App& command, double& share) {
  command
      .add_option(
          "--stability", share,
          fmt::format("require a new plan that moves all tasks to save this share of the remaining "
                      "time, and one that moves some to save in proportion; 0 to 1, default {}",
                      share))
      ->check([](const std::string& text) {
        const auto value = io::parse_number(text);
        const bool is_good = value && *value >= 0 && *value <= 1;
        return is_good ? ""
                       : "expected a number from 0 to 1, such as 0.1, found " + io::quote(text);
      });
}

std::vector<std::string> ProblemArguments::files() const {
  std::vector<std::string> files = workflows;
  files.push_back(cluster);
  return files;
}

std::string whole_number_problem(const std::string& text) {
  return parse_whole(text) ? std::string()
                           : "expected a whole number from 0 to 2^64 - 1, found " + io::quote(text);
}

std::function<std::string(const std::string&)> whole_number_from(std::uint64_t low,
                                                                 std::uint64_t high) {
  return [low, high](const std::string& text) {
    const auto value = parse_whole(text);
    if (value && *value >= low && *value <= high) return std::string();
    return fmt::format("expected a whole number from {} to {}, found {}", low, high,
                       io::quote(text));
  };
}

void protect_inputs(const std::vector<std::string>& inputs,
                    const std::vector<std::string>& outputs) {
  namespace fs = std::filesystem;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& output = outputs[i];
    if (output.empty() || output == "-") continue;
    require_writable(output);
    for (std::size_t j = 0; j < i; ++j) {
      if (fs::path(outputs[j]).lexically_normal() == fs::path(output).lexically_normal()) {
        throw InputError(output + ": two results cannot go to one file");
      }
    }
    std::error_code missing;
    for (const std::string& input : inputs) {
      if (input == output || fs::equivalent(input, output, missing)) {
        throw InputError(output + ": this file is read as input; write to another one");
      }
    }
  }
}

void require_picture_name(const std::string& option, const std::string& name) {
  if (name.empty() || name == "-" || name.ends_with(".html") || name.ends_with(".svg")) return;
  throw InputError(option + ": expected a name that ends in .html or .svg, found " +
                   io::quote(name));
}

const PlannerInfo& choose_planner(const std::string& name, const Problem& problem) {
  const PlannerInfo* planner = find_in_any_case(name);
  if (planner == nullptr) refuse_algorithm(name);
  const std::string unfit = planner->unfit(problem);
  if (unfit.empty()) return *planner;
  throw InputError(std::string(planner->name) + " " + unfit +
                   (planner->goal == Goal::fair ? other_than_fair(problem) : ""));
}

void warn_if_blind(const PlannerInfo& planner, const Problem& problem) {
  const std::string blind = planner.blind == nullptr ? "" : planner.blind(problem);
  if (blind.empty()) return;
  tell("note: {} {}; its plan may not be possible\n", planner.name, blind);
}

void require_deadline_for(const PlannerInfo& planner, const Problem& problem) {
  if (planner.goal != Goal::deadline || problem.deadline()) return;
  throw InputError(
      fmt::format("--algorithm: {} plans for a deadline; give --deadline T", planner.name));
}

void require_ready(std::span<const Workflow> workflows, const std::string& verb) {
  for (const Workflow& workflow : workflows) {
    if (!workflow.terms().ready_at) continue;
    throw InputError(fmt::format("workflow {}: {} does not support ready_at; leave it out",
                                 io::quote(workflow.name()), verb));
  }
}

void require_planner(const Problem& problem) {
  if (!fitting_planners(problem).empty()) return;
  std::vector<std::string> reasons;
  for (const PlannerInfo& row : planners()) {
    if (!serves(row, problem.goal())) continue;
    const std::string reason = row.unfit(problem);
    if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
  }
  if (!reasons.empty()) {
    throw InputError(fmt::format("no algorithm can plan this: each {}{}",
                                 fmt::join(reasons, ", or "),
                                 problem.goal() == Goal::fair ? other_than_fair(problem) : ""));
  }
  throw InputError("no algorithm plans for this goal");
}

void Table::add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = io::plain_text(cell);
  rows_.push_back(std::move(row));
}

std::string Table::text(std::size_t left) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      line += i < left ? fmt::format("{:<{}}", row[i], widths[i])
                       : fmt::format("{:>{}}", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

bool colourful() { return std::getenv("NO_COLOR") == nullptr && isatty(STDOUT_FILENO) == 1; }

int terminal_columns() {
  if (const char* set = std::getenv("COLUMNS")) {
    const int columns = std::atoi(set);
    if (columns > 0) return columns;
  }
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

}  // namespace dovetail::cli
