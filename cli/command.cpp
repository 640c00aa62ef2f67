#include "command.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

namespace {

// --now: seconds (also negative), a duration, or a date.
struct Moment {
  Time time;
  bool is_date;
};

Moment parse_now(const std::string& text) {
  if (const auto date = parse_date(text)) return {time_ceil(*date), true};
  if (const auto seconds = io::parse_number(text);
      seconds && *seconds >= -kMaxSeconds && *seconds <= kMaxSeconds) {
    return {time_ceil(*seconds), false};
  }
  if (const auto seconds = parse_duration(text)) return {time_ceil(*seconds), false};
  throw InputError(
      "--now: expected seconds, a duration such as 1h30m, or a date with its zone such as "
      "2026-11-15T08:00:00Z, found " +
      io::quote(text));
}

Platform load_platform(const ProblemArguments& arguments) {
  if (arguments.cluster.empty()) {
    throw InputError("-c: expected a cluster file, a number of processors, or local");
  }
  const Platform platform = read_platform(arguments.cluster);
  if (arguments.now.empty()) return platform;
  const Moment now = parse_now(arguments.now);
  if (platform.wall_clock() && !now.is_date) {
    throw InputError("--now: expected a date such as 2026-11-15T08:00:00Z, since the times of " +
                     arguments.cluster + " are dates, found " + io::quote(arguments.now));
  }
  if (!now.is_date || platform.wall_clock()) return platform.at(now.time);
  const auto clusters = platform.clusters();
  const bool dated = std::any_of(clusters.begin(), clusters.end(), [](const Cluster& cluster) {
    return !cluster.reservations.empty();
  });
  if (dated) {
    throw InputError("--now: a date needs a cluster file whose own times are dates");
  }
  return Platform(now.time, {clusters.begin(), clusters.end()}, true);
}

}  // namespace

void ProblemArguments::add_workflows(CLI::App& command, const std::string& name) {
  command
      .add_option(name, workflows,
                  "workflow files: YAML, JSON, WfCommons, DAX or DOT; - is standard input")
      ->required();
  command.add_option("--default-time", default_seconds,
                     "seconds for imported tasks that have no run time");
}

void ProblemArguments::add_cluster(CLI::App& command) {
  command
      .add_option("-c,--cluster", cluster,
                  "cluster file, a number of processors, or local for this machine")
      ->required();
  command.add_option("--now", now, "plan as if it were this moment: seconds, duration or date");
}

Problem ProblemArguments::load(Goal goal) const {
  if (default_seconds && !(*default_seconds >= 0 && *default_seconds <= kMaxSeconds)) {
    throw InputError("--default-time: expected 0 to 1e10 seconds");
  }
  std::vector<Workflow> loaded;
  std::vector<std::string> warnings;
  for (const std::string& path : workflows) {
    loaded.push_back(read_workflow(path, {.default_seconds = default_seconds}, &warnings));
  }
  for (const std::string& warning : warnings) std::cerr << "warning: " << warning << '\n';
  const Platform platform = load_platform(*this);
  try {
    return Problem(std::move(loaded), platform, goal);
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("{} on {}: {}", fmt::join(workflows, ", "), cluster, error.what()));
  }
}

void PlannerArguments::add(CLI::App& command) {
  add_choice<CpaStop>(command, "--cpa-stop", cpa_stop,
                      {{"improved", CpaStop::improved}, {"classic", CpaStop::classic}},
                      "when CPA stops giving processors: improved (default) or classic");
}

std::vector<std::string> ProblemArguments::files() const {
  std::vector<std::string> files = workflows;
  files.push_back(cluster);
  return files;
}

void protect_inputs(const std::vector<std::string>& inputs,
                    const std::vector<std::string>& outputs) {
  namespace fs = std::filesystem;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& output = outputs[i];
    if (output.empty() || output == "-") continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (outputs[j] == output) throw InputError(output + ": two results cannot go to one file");
    }
    std::error_code missing;
    for (const std::string& input : inputs) {
      if (input == output || fs::equivalent(input, output, missing)) {
        throw InputError(output + ": this file is read as input; write to another one");
      }
    }
  }
}

const PlannerInfo& choose_planner(const std::string& name, const Problem& problem) {
  std::string upper = name;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const PlannerInfo* planner = find_planner(upper);
  if (planner == nullptr) {
    io::NearestWord nearest(upper);
    for (const char* alias : {"BD_ALL", "BD_HALF", "BD_CPA", "BD_CPAR"}) nearest.offer(alias);
    for (const PlannerInfo& row : planners()) nearest.offer(row.name);
    std::string known;
    for (const PlannerInfo& row : planners()) {
      known += (known.empty() ? "" : ", ") + std::string(row.name);
    }
    const std::string guess = nearest.suggestion();
    throw InputError("--algorithm: there is no " + io::quote(name) +
                     (guess.empty() ? "; the algorithms are " + known : guess));
  }
  const std::string unfit = planner->unfit(problem);
  if (!unfit.empty()) throw InputError(std::string(planner->name) + " " + unfit);
  return *planner;
}

void require_planner(const Problem& problem) {
  if (!fitting_planners(problem).empty()) return;
  throw InputError(
      "no algorithm can plan this: the turn-around algorithms plan on one cluster, and "
      "the file has " +
      std::to_string(problem.platform().clusters().size()));
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

std::string counted(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace dovetail::cli
