#include "planners/ensemble/grouping.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "planners/ensemble/knapsack.hpp"

namespace dovetail::planning {

namespace {

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

Grouping knapsack_grouping(const MonthProblem& problem) {
  const Knapsack knapsack(problem.sizes, problem.for_groups(), problem.scenarios);
  return with_rest(problem, knapsack.groups(problem.scenarios));
}

}  // namespace dovetail::planning
