// The basic grouping and its improvements 1 and 2, where processors that would be idle make groups
// larger: the size of the basic grouping stays. Spare processors go to groups 1, 2, ... in turn,
// each time as many as take the group to the next allowed size, until no group can grow.
// Improvement 1 keeps what post tasks need to keep up with the groups, improvement 2 nothing.
#include <algorithm>
#include <limits>

#include "planners/ensemble/grouping.hpp"
#include "planners/ensemble/month_formula.hpp"

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

}  // namespace

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

}  // namespace dovetail::planning
