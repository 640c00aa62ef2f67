#include "planners/ensemble/grouping.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#include "core/order.hpp"
#include "planners/ensemble/knapsack.hpp"
#include "planners/ensemble/month_formula.hpp"
#include "planners/ensemble/month_simulation.hpp"

namespace dovetail::planning {

namespace {

// Processors on which post tasks keep up with the groups. Without a whole post
// task in a month there is no such number: all are needed.
std::int64_t needed_by_posts(const MonthProblem& problem, std::size_t groups, Duration time) {
  const std::int64_t posts = problem.posts * static_cast<std::int64_t>(groups);
  const std::int64_t per = problem.posts_within(time);
  if (per == 0) return problem.processors;
  return problem.post == 0 ? 0 : (posts + per - 1) / per;
}

void grow(const MonthProblem& problem, std::vector<Count>& groups, Count spare) {
  for (bool grown = true; grown;) {
    grown = false;
    for (Count& procs : groups) {
      const auto larger = std::ranges::upper_bound(problem.sizes, procs, {}, &GroupTime::procs);
      if (larger == problem.sizes.end() || larger->procs - procs > spare) continue;
      spare -= larger->procs - procs;
      procs = larger->procs;
      grown = true;
    }
  }
}

constexpr std::string_view kEnsembles = "Caniou et al. 2009";

Grouping by_basic(const MonthProblem& problem, Dispatch) { return basic_grouping(problem); }
Grouping by_imp1(const MonthProblem& problem, Dispatch) { return spread_grouping(problem, true); }
Grouping by_imp2(const MonthProblem& problem, Dispatch) { return spread_grouping(problem, false); }
Grouping by_knapsack(const MonthProblem& problem, Dispatch) { return knapsack_grouping(problem); }

constexpr std::array kGroupings = {
    // clang-format off
GroupingInfo{"basic",    "equal groups, by formula; the rest does post tasks",                   kEnsembles, by_basic,      false, false, false},
GroupingInfo{"imp1",     "basic; processors that post tasks do not need make groups larger",     kEnsembles, by_imp1,       true,  false, false},
GroupingInfo{"imp2",     "basic; all processors left make groups larger, post tasks come last",  kEnsembles, by_imp2,       true,  false, false},
GroupingInfo{"knapsack", "the groups that compute most months a second, exactly",                kEnsembles, by_knapsack,   false, true,  false},
GroupingInfo{"best",     "all of these and knapsacks of fewer groups, simulated: the shortest",  "Dovetail", best_grouping, false, true,  true},
    // clang-format on
};

}  // namespace

std::int64_t MonthProblem::posts_within(Duration time) const {
  // No more than there are: the product with any number of processors stays within 64 bits.
  const std::int64_t all = std::max<std::int64_t>(1, posts * all_months());
  return post == 0 ? all : std::min(all, time / post);
}

Duration MonthProblem::time_of(Count procs) const {
  const auto found = std::ranges::lower_bound(sizes, procs, {}, &GroupTime::procs);
  assert(found != sizes.end() && found->procs == procs && "the size is allowed");
  return found->time;
}

MonthProblem month_problem(const EnsembleSite& site, const EnsembleRules& rules, Count scenarios,
                           Count months) {
  return {.scenarios = scenarios,
          .months = months,
          .processors = site.processors,
          .reserved = reserved_for_posts(site, rules),
          .sizes = group_sizes(site, rules),
          .post = site.times.post,
          .posts = site.times.posts,
          .full_speed_posts = rules.full_speed_posts,
          .disk = rules.disk};
}

MonthProblem shortened(MonthProblem problem, std::int64_t most) {
  constexpr Count kFewMonths = 24;
  const auto within = [](std::int64_t value, Count least, Count all) {
    return static_cast<Count>(
        std::clamp<std::int64_t>(value, std::min(least, all), std::int64_t{all}));
  };
  problem.months = within(most / problem.scenarios, kFewMonths, problem.months);
  const Count groups = problem.for_groups() / problem.sizes.front().procs;
  problem.scenarios = within(most / problem.months, 2 * groups, problem.scenarios);
  return problem;
}

const GroupTime& fastest_size(std::span<const GroupTime> sizes) {
  return *std::ranges::find(sizes, sizes.back().time, &GroupTime::time);
}

Grouping with_rest(const MonthProblem& problem, std::vector<Count> groups) {
  Grouping grouping{std::move(groups)};
  grouping.post_processors = problem.processors - grouping.grouped();
  return grouping;
}

std::span<const GroupingInfo> groupings() { return kGroupings; }

const GroupingInfo* find_grouping(std::string_view name) {
  const auto found = std::ranges::find(kGroupings, name, &GroupingInfo::name);
  return found == kGroupings.end() ? nullptr : &*found;
}

Grouping basic_grouping(const MonthProblem& problem) {
  const Count processors = problem.for_groups();
  Duration shortest = std::numeric_limits<Duration>::max();
  std::vector<Count> groups;
  for (const GroupTime& size : problem.sizes) {
    if (size.procs > processors) break;
    const Count most = std::min(problem.scenarios, processors / size.procs);
    const Duration makespan = equal_groups_makespan(problem, processors, size, most);
    if (makespan >= shortest) continue;
    shortest = makespan;
    groups.assign(static_cast<std::size_t>(most), size.procs);
  }
  return with_rest(problem, std::move(groups));
}

// The size of the basic grouping stays. Spare processors go to groups 1, 2, ... in turn, each time
// as many as take the group to the next allowed size, until no group can grow.
Grouping spread_grouping(const MonthProblem& problem, bool keep_post_processors) {
  Grouping grouping = basic_grouping(problem);
  std::vector<Count>& groups = grouping.groups;
  std::int64_t spare = problem.for_groups() - grouping.grouped();
  if (keep_post_processors) {
    spare -= needed_by_posts(problem, groups.size(), problem.time_of(groups.front()));
  }
  if (spare > 0) grow(problem, groups, static_cast<Count>(spare));
  return with_rest(problem, std::move(groups));
}

Grouping knapsack_grouping(const MonthProblem& problem) {
  const Knapsack knapsack(problem.sizes, problem.for_groups(), problem.scenarios);
  return with_rest(problem, knapsack.groups(problem.scenarios));
}

Duration shortest_possible(const MonthProblem& problem, const Grouping& grouping,
                           Dispatch dispatch) {
  Duration main = least_time_of_months(problem, grouping.groups, problem.all_months());
  if (dispatch != Dispatch::ideal) {
    main = std::max(main, problem.months * problem.time_of(std::ranges::max(grouping.groups)));
  }
  return main + (problem.posts > 0 ? problem.post : 0);
}

std::vector<Grouping> grouping_candidates(const MonthProblem& problem) {
  std::vector<Grouping> found;
  const auto add = [&](Grouping grouping) {
    if (std::ranges::find(found, grouping) == found.end()) found.push_back(std::move(grouping));
  };
  const Knapsack knapsack(problem.sizes, problem.for_groups(), problem.scenarios);
  for (Count limit = 1; limit <= knapsack.useful_limit(); ++limit) {
    add(with_rest(problem, knapsack.groups(limit)));
  }
  add(basic_grouping(problem));
  add(spread_grouping(problem, true));
  add(spread_grouping(problem, false));
  return found;
}

// Candidates are simulated in the order of a lower bound of their makespan, and those whose bound
// says that they cannot win are not simulated at all.
Grouping best_grouping(const MonthProblem& problem, Dispatch dispatch) {
  const std::vector<Grouping> all = grouping_candidates(problem);
  std::vector<Duration> bounds;
  for (const Grouping& grouping : all) {
    bounds.push_back(shortest_possible(problem, grouping, dispatch));
  }
  const auto order =
      order_by<std::size_t>(all.size(), [&](std::size_t rank) { return bounds[rank]; });
  std::size_t best = order.front();
  Duration shortest = std::numeric_limits<Duration>::max();
  for (const std::size_t rank : order) {
    if (bounds[rank] > shortest) break;
    const MonthResult result = simulate_months(problem, all[rank], dispatch);
    // A grouping on which the disk fills for good only wins over others like it.
    const Duration makespan = result.is_stuck ? kForever : result.makespan;
    if (makespan > shortest || (makespan == shortest && rank > best)) continue;
    shortest = makespan;
    best = rank;
  }
  return all[best];
}

}  // namespace dovetail::planning
