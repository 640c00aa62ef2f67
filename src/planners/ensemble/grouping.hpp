// How the processors of one cluster are cut into groups for an ensemble: each group computes one
// month after the other, and what is in no group does post tasks.
//
//   const MonthProblem problem = month_problem(site, rules, 10, 180);
//   const Grouping grouping = find_grouping("knapsack")->make(problem, Dispatch::fair);
//   const Duration end = simulate_months(problem, grouping, Dispatch::fair).makespan;
//
// Source: Caniou et al., Ocean-Atmosphere Application Scheduling within DIET, 2009. All
// heuristics are pure; the table of them is in grouping.cpp.
#pragma once

#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dovetail/ensemble.hpp"

namespace dovetail::planning {

// Which scenario a group takes when it becomes idle; see month_dispatch.hpp.
enum class Dispatch { fair, rotate, ideal };

// Scenarios and months on one cluster. Times are positive; the post time may be 0.
struct MonthProblem {
  Count scenarios = 1;                // NS
  Count months = 1;                   // NM, of each scenario
  Count processors = 1;               // R
  Count reserved = 0;                 // of them for post tasks alone
  std::vector<GroupTime> sizes = {};  // allowed; sizes rise, times do not
  Duration post = 0;                  // TP
  Count posts = 1;                    // tasks of that length after each month
  Count full_speed_posts = 0;         // see EnsembleRules
  std::optional<DiskSpec> disk = {};

  // What groups may take.
  Count for_groups() const { return processors - reserved; }
  std::int64_t all_months() const { return std::int64_t{scenarios} * months; }

  // Whether there can be a group at all.
  bool has_room() const { return !sizes.empty() && sizes.front().procs <= for_groups(); }

  // Whole post tasks that one processor does in that time, or as many as there are.
  std::int64_t posts_within(Duration time) const;

  // Needs the size to be allowed.
  Duration time_of(Count procs) const;
};

MonthProblem month_problem(const EnsembleSite& site, const EnsembleRules& rules, Count scenarios,
                           Count months);

// The same with at most about `most` months in all, and quick to simulate: first the scenarios get
// shorter, then there are fewer of them, though still two for every group that can be. Waves of
// months repeat, so that groups chosen for it serve for the whole, which takes longer by the ratio
// of all_months(). Needs room for a group.
MonthProblem shortened(MonthProblem problem, std::int64_t most);

// Sizes in the order of the groups' numbers.
struct Grouping {
  std::vector<Count> groups = {};
  Count post_processors = 0;
  friend bool operator==(const Grouping&, const Grouping&) = default;

  Count grouped() const { return std::accumulate(groups.begin(), groups.end(), Count{0}); }
};

// The smallest of the fastest sizes. Needs sizes that rise and times that do not.
const GroupTime& fastest_size(std::span<const GroupTime> sizes);

// The groups, and all that is left for post tasks.
Grouping with_rest(const MonthProblem& problem, std::vector<Count> groups);

// A row of the table. `make` needs problem.has_room(); only heuristics that simulate look at the
// rule of dispatch.
struct GroupingInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  Grouping (*make)(const MonthProblem& problem, Dispatch dispatch);
  bool grows_groups;     // beyond the fastest size too, where that gains nothing
  bool solves_knapsack;  // exactly, in a table of groups x processors
  bool tries_all;        // takes the best of grouping_candidates()
};

std::span<const GroupingInfo> groupings();

// Null when there is none of that name.
const GroupingInfo* find_grouping(std::string_view name);

// Equal groups by the formulas (section 4.1): every allowed size is tried with as many groups as
// fit, at most one per scenario. The shortest formula wins, the smaller size on a tie.
Grouping basic_grouping(const MonthProblem& problem);

// Improvements 1 and 2 (section 4.2): of the processors that the basic grouping leaves, those that
// post tasks do not need, or all, go to the groups.
Grouping spread_grouping(const MonthProblem& problem, bool keep_post_processors);

// Improvement 3: the groups that compute most months a second; see knapsack.hpp. It does not see
// that the chain of a scenario may end up on a slow group.
Grouping knapsack_grouping(const MonthProblem& problem);

// The shortest of many groupings, by simulation: the knapsack for every limit of groups from one to
// the number of scenarios, then basic and its two improvements. Never longer than any of them.
Grouping best_grouping(const MonthProblem& problem, Dispatch dispatch);

// Everything that best_grouping looks at, none twice; the first among equals wins.
std::vector<Grouping> grouping_candidates(const MonthProblem& problem);

// No schedule on these groups ends earlier.
Duration shortest_possible(const MonthProblem& problem, const Grouping& grouping,
                           Dispatch dispatch);

}  // namespace dovetail::planning
