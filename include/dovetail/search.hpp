// How long and for what the planners DOVETAIL and DOVETAIL_FAIR search.
//
//   PlannerOptions options;
//   options.search.effort = Effort::thorough;
//   Plan plan = dovetail::plan(*find_planner("DOVETAIL"), problem, options);
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "dovetail/time.hpp"

namespace dovetail {

// By how many tasks are placed: some hundredths of a second, a tenth, some seconds.
enum class Effort { quick, normal, thorough };

struct SearchLimits {
  // Plans that are tried. Nothing: what the effort says, or with a time limit as many as it allows.
  // The same seed and trials give the same plan on any machine and any number of threads.
  std::optional<std::uint64_t> trials = {};
  std::optional<Effort> effort = {};  // nothing: normal
  std::uint64_t seed = 1;
  unsigned threads = 0;  // 0: as many as the machine has

  // CPU time that the plan may use, as a share of what BL_CPAR_BD_CPAR uses, of a fair plan of what
  // MAGS uses; nothing: any. The least turn-around alone costs twice as much CPU time as most
  // people would pay. No matter for plans by a deadline, which consume as little as they can.
  std::optional<double> cpu_factor = 1.25;
  // Instead. A fair plan may use as much as that of MAGS all the same.
  std::optional<Area> budget = {};

  // Stops a search before all trials are made.
  std::optional<double> seconds = {};
  std::function<double()> clock = {};  // seconds since some moment; nothing: the machine's
};

// How many plans a search for `tasks` tasks tries, unless its time is over before.
std::uint64_t trials_of(const SearchLimits& limits, std::size_t tasks);

}  // namespace dovetail
