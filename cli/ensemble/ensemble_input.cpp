#include "cli/ensemble/ensemble_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/output.hpp"
#include "core/mapped.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

namespace {

// Whether -c is a number or "local", which names no table.
bool is_shorthand(const std::string& cluster) {
  return cluster == "local" || std::all_of(cluster.begin(), cluster.end(),
                                           [](unsigned char c) { return std::isdigit(c) != 0; });
}

template <typename Info>
const Info& chosen_row(const std::string& option, const std::string& name, const Info* found,
                       std::span<const Info> all) {
  if (found != nullptr) return *found;
  const auto known = mapped(all, &Info::name);
  std::string hint = io::did_you_mean(name, known);
  if (hint.empty()) hint = fmt::format("; known are {}", fmt::join(known, ", "));
  throw InputError(fmt::format("{}: there is no {}{}", option, io::quote(name), hint));
}

bool has_windows(const Ensemble& ensemble) {
  return std::any_of(ensemble.sites.begin(), ensemble.sites.end(),
                     [](const EnsembleSite& site) { return !site.windows.always(); });
}

bool is_shared(const Platform& platform) {
  return std::any_of(platform.clusters().begin(), platform.clusters().end(),
                     [](const Cluster& cluster) {
                       return !cluster.reservations.empty() || cluster.joins > kBeginning ||
                              cluster.leaves < kForever;
                     });
}

void reject_huge_knapsacks(const EnsembleInput& input) {
  if (!input.choices.heuristic->solves_knapsack || !input.arguments.sweep.empty()) return;
  for (const EnsembleSite& site : input.ensemble.sites) {
    if (!has_huge_knapsack(input.ensemble, site)) continue;
    throw InputError(fmt::format(
        "--heuristic: {} solves a knapsack of groups on the {} processors of cluster {} exactly, "
        "which is too large; use basic, imp1 or imp2",
        input.choices.heuristic->name, site.processors, io::quote(site.name)));
  }
}

// The exact repartition looks at every number of scenarios on every cluster, twice.
void reject_huge_repartition(const EnsembleInput& input) {
  constexpr Count kMostExact = 2'000;
  const bool is_exact = input.choices.repartition->name == "exact";
  if (!is_exact || input.ensemble.scenarios <= kMostExact) return;
  throw InputError(
      fmt::format("--repartition: exact is for at most {} scenarios, found {}; use greedy",
                  kMostExact, input.ensemble.scenarios));
}

void reject_idle_options(const EnsembleInput& input) {
  const EnsembleArguments& given = input.arguments;
  const auto reject = [](bool is_given, std::string_view option, std::string_view why) {
    if (is_given) throw InputError(fmt::format("{}: {}", option, why));
  };
  if (!given.sweep.empty()) {
    constexpr std::string_view kWhy = "has no effect on --sweep, which compares all heuristics";
    reject(!given.heuristic.empty(), "--heuristic", kWhy);
    reject(!given.repartition.empty(), "--repartition", kWhy);
    reject(given.schedule, "--schedule", kWhy);
    reject(given.vectors, "--vectors", kWhy);
    reject(!given.gantt.empty(), "--gantt", "does not draw a sweep; use --chart");
  }
  constexpr std::string_view kJson = "is a part of the JSON; add --json, or -o FILE";
  const bool has_json = given.json || !given.output.empty();
  reject(given.schedule && !has_json, "--schedule", kJson);
  reject(given.vectors && !has_json, "--vectors", kJson);
  reject(given.vectors && input.needs_calendar(), "--vectors",
         "works only for main and post tasks, without repeat, windows, reservations, --plan and "
         "--export");
  const std::int64_t tasks = std::int64_t{2} * input.ensemble.scenarios * input.ensemble.months;
  reject(
      given.needs_schedule() && tasks > kMostTasksKept, given.schedule ? "--schedule" : "--gantt",
      fmt::format("{} months are too many to keep; the most is {}", tasks / 2, kMostTasksKept / 2));
}

// A number of processors is a cluster of the name that the only table has.
Platform named_after_table(const Platform& platform, const EnsembleArguments& arguments,
                           const io::EnsembleFile& file) {
  if (!is_shorthand(arguments.cluster) || file.tables.empty()) return platform;
  if (file.tables.size() > 1) {
    throw InputError(file.file, file.clusters_line,
                     fmt::format("clusters: -c {} does not say which of {} is meant; give a "
                                 "cluster file with clusters of these names",
                                 arguments.cluster, io::table_names(file)));
  }
  Cluster cluster = platform.clusters().front();
  cluster.name = file.tables.front().name;
  return Platform(platform.now(), {std::move(cluster)}, platform.wall_clock());
}

void warn_of_idle_fields(const EnsembleInput& input) {
  const EnsembleRules& rules = input.ensemble.rules;
  const auto warn = [&](const std::string& cluster, std::string_view what) {
    tell("{}: cluster {}: {}\n", input.file.file, io::quote(cluster), what);
  };
  for (const Cluster& cluster : input.platform.clusters()) {
    if (cluster.queue) {
      warn(cluster.name, "its queue is ignored; see: dovetail queue --help");
    }
    if (cluster.cores_per_node > 1) continue;
    constexpr std::string_view kNoNodes =
        "{} has no effect where nodes have one core; give cores_per_node in the cluster file";
    if (rules.node_multiples) warn(cluster.name, fmt::format(kNoNodes, "node_multiples"));
    if (rules.post_node) {
      warn(cluster.name,
           "post_processors: a node is one processor; give cores_per_node in the cluster file");
    }
  }
  if (rules.extra_size > 0 && !rules.node_multiples) {
    tell(
        "{}: extra_size is as fast as the largest measured size and gains nothing without "
        "node_multiples\n",
        input.file.file);
  }
}

}  // namespace

bool EnsembleInput::needs_calendar() const {
  return !file.repeat.empty() || has_windows(ensemble) || is_shared(platform) ||
         !arguments.plan.empty() || !arguments.folder.empty();
}

// It keeps a table of groups x processors.
bool has_huge_knapsack(const Ensemble& ensemble, const EnsembleSite& site) {
  constexpr std::int64_t kMostEntries = 200'000'000;
  const auto sizes = group_sizes(site, ensemble.rules);  // none where they are not known yet
  const Count largest = sizes.empty() ? site.processors : sizes.back().procs;
  const Count smallest = sizes.empty() ? 1 : sizes.front().procs;
  if (site.processors / largest >= ensemble.scenarios) return false;
  const std::int64_t groups = std::min(ensemble.scenarios, site.processors / smallest);
  return groups * site.processors > kMostEntries;
}

EnsembleInput read_ensemble_input(const EnsembleArguments& arguments) {
  const std::string heuristic = arguments.heuristic.empty() ? "best" : arguments.heuristic;
  const std::string repartition = arguments.repartition.empty() ? "greedy" : arguments.repartition;
  const planning::EnsembleChoices choices{
      &chosen_row("--heuristic", heuristic, planning::find_grouping(heuristic),
                  planning::groupings()),
      arguments.dispatch,
      &chosen_row("--repartition", repartition, planning::find_repartition(repartition),
                  planning::repartitions())};
  const Platform read = read_platform(arguments.cluster);
  io::EnsembleFile file = io::read_ensemble(arguments.file, read.wall_clock());
  const Platform platform = named_after_table(read, arguments, file);
  Ensemble ensemble = io::on_platform(file, platform);
  EnsembleInput input{arguments, choices, platform, std::move(file), std::move(ensemble)};
  reject_idle_options(input);
  reject_huge_knapsacks(input);
  reject_huge_repartition(input);
  warn_of_idle_fields(input);
  return input;
}

}  // namespace dovetail::cli
