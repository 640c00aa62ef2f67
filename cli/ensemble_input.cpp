#include "ensemble_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/text.hpp"

namespace dovetail::cli {

namespace {

// Whether -c is a number or "local": then the only table is meant.
bool is_shorthand(const std::string& cluster) {
  return cluster == "local" || std::all_of(cluster.begin(), cluster.end(),
                                           [](unsigned char c) { return std::isdigit(c) != 0; });
}

template <typename Info>
const Info& chosen_row(const std::string& option, const std::string& name, const Info* found,
                       std::span<const Info> all) {
  if (found != nullptr) return *found;
  std::vector<std::string_view> known;
  for (const Info& row : all) known.push_back(row.name);
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

// The exact knapsack keeps a table of groups x processors.
void reject_huge_knapsacks(const EnsembleInput& input) {
  constexpr std::int64_t kMostEntries = 200'000'000;
  const std::string_view heuristic = input.choices.heuristic->name;
  if (heuristic != "knapsack" && heuristic != "best") return;
  for (const EnsembleSite& site : input.ensemble.sites) {
    const auto sizes =
        group_sizes(site, input.ensemble.rules);  // none where they are not known yet
    const Count largest = sizes.empty() ? site.processors : sizes.back().procs;
    const Count smallest = sizes.empty() ? 1 : sizes.front().procs;
    if (site.processors / largest >= input.ensemble.scenarios) continue;
    const std::int64_t groups = std::min(input.ensemble.scenarios, site.processors / smallest);
    if (groups * site.processors <= kMostEntries) continue;
    throw InputError(fmt::format(
        "--heuristic: {} solves a knapsack of {} groups on {} processors of cluster {} exactly, "
        "which is too large; use basic, imp1 or imp2",
        heuristic, groups, site.processors, io::quote(site.name)));
  }
}

}  // namespace

bool EnsembleInput::needs_calendar() const {
  return !file.repeat.empty() || has_windows(ensemble) || is_shared(platform) ||
         !arguments.plan.empty() || !arguments.folder.empty();
}

EnsembleInput read_ensemble_input(const EnsembleArguments& arguments) {
  const EnsembleChoices choices{
      &chosen_row("--heuristic", arguments.heuristic, find_grouping(arguments.heuristic),
                  groupings()),
      arguments.dispatch,
      &chosen_row("--repartition", arguments.repartition, find_repartition(arguments.repartition),
                  repartitions())};
  const Platform platform = read_platform(arguments.cluster);
  io::EnsembleFile file = io::read_ensemble(arguments.file, platform.wall_clock());
  Ensemble ensemble = io::on_platform(file, platform, is_shorthand(arguments.cluster));
  EnsembleInput input{arguments, choices, platform, std::move(file), std::move(ensemble)};
  reject_huge_knapsacks(input);
  return input;
}

}  // namespace dovetail::cli
