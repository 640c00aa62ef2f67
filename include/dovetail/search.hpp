// The limits of the search by the planners DOVETAIL and DOVETAIL_FAIR.
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

// How many tasks the search places: it takes a few hundredths of a second, a tenth, or a few
// seconds.
enum class Effort { quick, normal, thorough };

struct SearchLimits {
  // The number of plans to try. Nothing: as the effort says, or with a time limit as many as it
  // allows. The same seed and trials give the same plan on any machine and any number of threads.
  std::optional<std::uint64_t> trials = {};
  std::optional<Effort> effort = {};  // nothing: normal
  std::uint64_t seed = 1;
  unsigned threads = 0;  // 0: as many as the machine has

  // The CPU time that the plan may use, as a multiple of what BL_CPAR_BD_CPAR uses (for a fair
  // plan, of what MAGS uses); nothing: no limit. The limit exists because the plan with the least
  // turn-around costs twice as much CPU time as most users would pay. Plans for a deadline ignore
  // it, since they use as little CPU time as they can.
  std::optional<double> cpu_factor = 1.25;
  // An absolute limit, used instead of cpu_factor. A fair plan may always use as much as MAGS does.
  std::optional<Area> budget = {};

  // A time limit: stops the search before all trials are done.
  std::optional<double> seconds = {};
  std::function<double()> clock = {};  // a monotonic clock in seconds; nothing: the machine's
};

// The number of trials in a search over this many tasks, unless its time runs out first.
std::uint64_t trials_of(const SearchLimits& limits, std::size_t tasks);

}  // namespace dovetail
